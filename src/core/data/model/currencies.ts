/** Codes of currencies, and codes that look like one and mean a part of it. Pure. */

import { quoted } from './printable.ts'

/**
 * Currencies of ISO 4217 that were in use in 2025 or later, without metals, units of account and codes for tests.
 * Source: SIX, list one (2026) and list three.
 */
const codes = new Set(
  (
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY ' +
    'COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR ' +
    'IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR ' +
    'MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD ' +
    'SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD ' +
    'XCG XOF XPF YER ZAR ZMW ZWG'
  ).split(' '),
)

/** @returns the end of a sentence that begins with the column's name; undefined for a code */
export function currencyFault(text: string): string | undefined {
  if (codes.has(text)) return undefined
  const whole = wholeOf(text)
  const part =
    whole === undefined
      ? ''
      : `: it looks like a part of ${whole}, as pence (GBp, GBX) are hundredths of pounds; convert the amounts and write ${whole}`
  return `${quoted(text)} is not an ISO 4217 code of a currency in use${part}`
}

/**
 * Providers of prices write a hundredth of a currency with a small letter at its end (`GBp`, `USd`, `ZAc`), or with one of
 * X, C and A (`GBX`, `ZAC`, `ILA`).
 */
function wholeOf(text: string): string | undefined {
  if (!/^[A-Z]{2}[a-zXCA]$/.test(text)) return undefined
  const sameLetters = text.toUpperCase()
  if (codes.has(sameLetters)) return sameLetters
  const [only, another] = [...codes].filter((code) => code.startsWith(text.slice(0, 2)))
  return another === undefined ? only : undefined
}

/** Currencies whose smallest unit is no hundredth. Source: SIX, list one (2026). */
const withOtherUnits = new Set(
  (
    'BHD IQD JOD KWD LYD OMR TND ' + 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
  ).split(' '),
)

/** @returns the currency of which a text names hundredths, as providers of prices write it (`GBp`, `GBX`, `ZAC`, `ILA`) */
export function currencyOfHundredths(text: string): string | undefined {
  const whole = codes.has(text) ? undefined : wholeOf(text)
  return whole === undefined || withOtherUnits.has(whole) ? undefined : whole
}

/**
 * The code that a file means. Small letters alone are a way to write a code; beside capitals they may mean a part of it.
 * @returns the text as it is if it is no code
 */
export function writtenCurrency(text: string): string {
  const trimmed = text.trim()
  return /^[a-z]{3}$/.test(trimmed) ? trimmed.toUpperCase() : trimmed
}
