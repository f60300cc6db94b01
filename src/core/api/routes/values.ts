/** ISINs and days, for the requests of an edge and the checks of a database. */

/** True for an ISIN in upper case with its right check digit. Source: ISO 6166. */
export function isIsin(text: string): boolean {
  return isIsinInEitherCase(text) && text === text.toUpperCase()
}

/** Letters count 10 to 35, then the Luhn sum over all digits. ASCII only: the upper case of `\u0131` is an I. */
export function isIsinInEitherCase(text: string): boolean {
  if (!/^[A-Za-z]{2}[A-Za-z0-9]{9}[0-9]$/.test(text)) return false
  const digits = text.replace(/[A-Za-z]/g, (letter) => String(parseInt(letter, 36)))
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits.charAt(digits.length - 1 - index))
    const weighed = index % 2 === 1 ? digit * 2 : digit
    sum += weighed > 9 ? weighed - 9 : weighed
  }
  return sum % 10 === 0
}

/** True for an ISO 8601 day, YYYY-MM-DD, that exists in the Gregorian calendar. */
export function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8))
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  // July and August both have 31 days: from there on the even months have.
  const days = month === 2 ? (isLeapYear ? 29 : 28) : 30 + ((month + (month > 7 ? 1 : 0)) % 2)
  return month >= 1 && month <= 12 && day >= 1 && day <= days
}
