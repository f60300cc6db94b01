/** The object `fund` of every document, and permissions to publish data of a fund. */

import { addYears } from '../../system/days.ts'
import type { FundRow } from './rows.ts'
import { day, nullable, optional, record, text, textLike, type ValueOf } from './shape.ts'
import { webAddress } from './texts.ts'

/** As answers and keys have them; the check digit is not a matter of form. */
export const isinPattern = '^[A-Z]{2}[A-Z0-9]{9}[0-9]$'

const named = {
  name: text('Name of the fund', 'Name des Fonds'),
  isin: textLike('ISIN', 'ISIN', isinPattern),
  wkn: nullable(text('German securities identification number (WKN)', 'Wertpapierkennnummer (WKN)')),
  fund_inception_date: day('Launch date of the fund', 'Auflegungsdatum des Fonds'),
}
const url = text(
  'URL of the web page about the fund; empty if there is none',
  'Adresse der Webseite zum Fonds; leer, wenn es keine gibt',
)

/** Source: the interface, "Fund (basic fund data, object `fund`)". */
export const basicFund = record({
  ...named,
  status_date: optional(day('As-of date of the data of this fund', 'Stichtag der Daten dieses Fonds')),
  url,
})

/** Price endpoints leave the status date out (src/core/api/decisions.md, Values). */
export const fundOfPrices = record({ ...named, url })

/** For all endpoints but those of prices. */
export function fundWithStatus(fund: FundRow): ValueOf<typeof basicFund> {
  return { ...fundWithoutStatus(fund), status_date: fund.statusDate ?? undefined }
}

/** For the price endpoints. */
export function fundWithoutStatus(fund: FundRow): ValueOf<typeof fundOfPrices> {
  return {
    name: fund.name,
    isin: fund.isin,
    wkn: fund.wkn,
    fund_inception_date: fund.inceptionDate,
    url: webAddress(fund.url),
  }
}

export const mayGiveOutPrices = (fund: FundRow) => fund.dataPermitted === 1 && fund.pricesPermitted === 1

export const mayShowPerformance = (fund: FundRow) =>
  fund.dataPermitted === 1 && fund.performancePermitted === 1

/**
 * ISINs, ascending, of funds with data that may not be published; kinds without funds are absent. Only `data` has the
 * funds without any published data.
 */
export type RestrictedFunds = Readonly<Partial<Record<'data' | 'prices' | 'performance', readonly string[]>>>

/** By the permissions alone: a fund that is younger than a year is not restricted. @returns undefined without any */
export function restrictedFunds(funds: readonly FundRow[]): RestrictedFunds | undefined {
  const given = funds.filter(({ dataPermitted }) => dataPermitted === 1)
  const kinds = {
    data: funds.filter(({ dataPermitted }) => dataPermitted === 0),
    prices: given.filter((fund) => !mayGiveOutPrices(fund)),
    performance: given.filter((fund) => !mayShowPerformance(fund)),
  }
  const found = Object.entries(kinds).filter(([, some]) => some.length > 0)
  if (found.length === 0) return undefined
  return Object.fromEntries(found.map(([kind, some]) => [kind, some.map(({ isin }) => isin)]))
}

/** Source: src/core/api/decisions.md, Errors. A fund of 29 February turns one year old on 28 February. */
export const isYoungerThanOneYear = (fund: FundRow, asOf: string) => addYears(fund.inceptionDate, 1) > asOf

/** `<decimal> <currency>`. Source: src/core/api/decisions.md, Values. */
export const amount = (decimalText: string, currency: string) => `${decimalText} ${currency}`

/** The English text, or the German one if there is no English one (schema.sql). */
export const inLanguage = <T extends string | null>(
  language: 'de' | 'en',
  german: T,
  english: string | null,
): T | string => (language === 'en' ? (english ?? german) : german)
