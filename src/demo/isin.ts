/** Security numbers that are valid in form and belong to no real security. */

export type Country = 'DE' | 'LU' | 'AT'

/** The digits and letters of a WKN: I and O are left out, because they look like 1 and 0. */
const wknCharacters = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'
/** How many funds the invented block of WKNs has room for. */
export const mostFunds = 34 * 34 * 34 * 34

/**
 * A German ISIN contains the WKN, the German number.
 * @param number of the fund, from 0; different numbers give different securities for the same seed
 */
export function securityNumbers(
  seed: number,
  number: number,
  country: Country,
): { isin: string; wkn: string } {
  // An odd factor that 17 does not divide permutes the numbers below mostFunds, so none comes twice.
  const place = (number * 524_287 + (Math.abs(seed) % mostFunds) * 7919) % mostFunds
  const size = wknCharacters.length
  const digits = [size ** 3, size ** 2, size, 1].map((unit) => Math.floor(place / unit) % size)
  const wkn = `FP${digits.map((digit) => wknCharacters[digit]).join('')}`
  // Luxembourg's real ISINs begin with LU00 to LU03, and Austria's have no FP: these belong to nobody.
  const national = country === 'LU' ? `99${String(place).padStart(7, '0')}` : `000${wkn}`
  return { isin: withCheckDigit(country + national), wkn }
}

/** ISO 6166: letters count 10 to 35, then every second digit from the right, the last one first, is doubled. */
function withCheckDigit(stem: string): string {
  const digits = [...stem].map((character) => parseInt(character, 36)).join('')
  let sum = 0
  for (const [i, digit] of [...digits].reverse().entries()) {
    const counted = i % 2 === 0 ? Number(digit) * 2 : Number(digit)
    sum += counted > 9 ? counted - 9 : counted
  }
  return stem + ((10 - (sum % 10)) % 10)
}
