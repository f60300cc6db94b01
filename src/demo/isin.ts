/** Security numbers that are valid in form and belong to no real security. */

export interface SecurityNumbers {
  readonly isin: string
  /** The German number. A German ISIN contains it. */
  readonly wkn: string
}

export type Country = 'DE' | 'LU' | 'AT'

/** The digits and letters of a WKN: I and O are left out, because they look like 1 and 0. */
const wknCharacters = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** How many funds the invented block of WKNs has room for. */
export const mostFunds = 34 * 34 * 34 * 34

/** @param number of the fund, from 0; different numbers give different securities for the same seed */
export function securityNumbers(seed: number, number: number, country: Country): SecurityNumbers {
  // An odd factor that 17 does not divide permutes the numbers below mostFunds, so none comes twice.
  const place = (number * 524_287 + (Math.abs(seed) % mostFunds) * 7919) % mostFunds
  const wkn = 'FP' + inWknCharacters(place)
  return { isin: withCheckDigit(country + nationalNumber(country, wkn, place)), wkn }
}

/** ISO 6166: letters count 10 to 35, then every second digit from the right, the last one first, is doubled. */
export function withCheckDigit(stem: string): string {
  const digits = [...stem].map((character) => parseInt(character, 36)).join('')
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const counted = i % 2 === 0 ? digit * 2 : digit
    sum += counted > 9 ? counted - 9 : counted
  }
  return stem + ((10 - (sum % 10)) % 10)
}

/** Nine characters. Luxembourg's real ISINs begin with LU00 to LU03, and Austria's have no FP: these belong to nobody. */
function nationalNumber(country: Country, wkn: string, place: number): string {
  switch (country) {
    case 'DE':
      return `000${wkn}`
    case 'LU':
      return `99${String(place).padStart(7, '0')}`
    case 'AT':
      return `000FP${wkn.slice(2)}`
    default:
      return country satisfies never
  }
}

function inWknCharacters(place: number): string {
  let rest = place
  let text = ''
  for (let i = 0; i < 4; i++) {
    text = (wknCharacters[rest % wknCharacters.length] ?? '') + text
    rest = Math.floor(rest / wknCharacters.length)
  }
  return text
}
