/** What counts as an ISIN and as a day: asked by the edge of a request, by the checks of a database. */

/**
 * Whether the text is an ISIN in upper case with its right check digit.
 * Source: ISO 6166; letters count 10 to 35, then the Luhn sum over all digits.
 */
export function isIsin(text: string): boolean {
  if (!/^[A-Z]{2}[A-Z0-9]{9}[0-9]$/.test(text)) return false
  const digits = text.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits.charAt(digits.length - 1 - index))
    const weighed = index % 2 === 1 ? digit * 2 : digit
    sum += weighed > 9 ? weighed - 9 : weighed
  }
  return sum % 10 === 0
}

/**
 * Whether a request's text names an ISIN, in either case. ASCII only: `\u0131` is not taken for an I because its upper
 * case is one.
 */
export function isIsinInEitherCase(text: string): boolean {
  return /^[A-Za-z0-9]{12}$/.test(text) && isIsin(text.toUpperCase())
}

/** Whether the text is an ISO 8601 day, YYYY-MM-DD, that exists in the Gregorian calendar. */
export function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8))
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 ? (isLeapYear ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return month >= 1 && month <= 12 && day >= 1 && day <= days
}
