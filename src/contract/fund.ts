/** The object `fund` that every document carries, and what may be given out of a fund. */

import type { FundRow } from './rows.ts'
import { day, nullable, optional, record, text, textLike, type ValueOf } from './shape.ts'
import { webAddress } from './texts.ts'
import { yearLater } from './years.ts'

const named = {
  name: text('Fund name'),
  isin: textLike('ISIN', '^[A-Z]{2}[A-Z0-9]{9}[0-9]$'),
  wkn: nullable(text('German securities identification number (WKN)')),
  fund_inception_date: day('Inception date of the fund'),
}
const url = text("Link to the fund's details page")

/** Source: the interface, "Fund (basic fund data, object `fund`)". */
export const basicFund = record({ ...named, status_date: optional(day('Date that the data are of')), url })

/** The same as the price endpoints have it, which leave the status date out (decisions.md, Values). */
export const fundOfPrices = record({ ...named, url })

/** The basic data with the status date: all endpoints but those of prices. */
export function fundWithStatus(fund: FundRow): ValueOf<typeof basicFund> {
  return { ...fundWithoutStatus(fund), status_date: fund.statusDate ?? undefined }
}

/** The basic data of the price endpoints. */
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
 * Whether the fund is younger than one year on the snapshot's date. Source: decisions.md, Errors. A fund of 29 February
 * turns one year old on 28 February.
 */
export function isYoungerThanOneYear(fund: FundRow, asOf: string): boolean {
  return yearLater(fund.inceptionDate) > asOf
}

/** `<decimal> <currency>`. Source: decisions.md, Values. */
export const amount = (decimalText: string, fund: FundRow) => `${decimalText} ${fund.currency}`

/** The English text, or the German one where there is none (schema.sql). */
export const inLanguage = (language: 'de' | 'en', german: string, english: string | null) =>
  language === 'en' ? (english ?? german) : german
