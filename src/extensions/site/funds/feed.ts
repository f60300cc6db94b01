/** The newest prices of a fund as an Atom feed. Made of the fund's rows alone: corrections are in `changes/`. */

import type { NavPoint, Page } from '../../../core/api/contract/page.ts'
import type { FundRow } from '../../../core/api/contract/rows.ts'
import { type Language, languages } from '../../../core/api/routes/table.ts'
import { atomFeed, type AtomEntry } from '../../../core/layout/atom.ts'
import { fundFeedKeys, fundPageKeys } from '../../../core/layout/layout.ts'
import { amountIn, dayIn } from '../../../core/layout/formats.ts'
import type { FundAnswer, FundFacts } from './facts.ts'
import { pathOf } from './sections/data.ts'
import { fundWords } from './wording.ts'

/** No entries for a fund whose prices are not published. */
export const fundFeeds = (facts: FundFacts): readonly Page[] =>
  languages.map((language) => {
    const { fund, baseUrl, publisher, latest, historic } = facts
    const key = fundFeedKeys(fund.isin)[language]
    const content = atomFeed({
      language,
      baseUrl,
      key,
      page: fundPageKeys(fund.isin)[language],
      title: fundWords[language].feedTitle(fund.name),
      publisher,
      updated: timeOf(latest[0]?.date ?? fund.inceptionDate),
      entries: historic === undefined ? [] : latest.map((price) => entryOf(fund, price, historic, language)),
    })
    return { key, content }
  })

function entryOf(
  { isin, name, currency }: FundRow,
  { date, nav }: NavPoint,
  historic: FundAnswer,
  language: Language,
): AtomEntry {
  const w = fundWords[language]
  const amount = amountIn(language, nav, currency)
  return {
    name: `price ${isin} ${date} ${language}`,
    title: `${name}: ${amount}`,
    published: timeOf(date),
    page: `${fundPageKeys(isin)[language]}#price`,
    json: `${pathOf(isin, historic, [date, date]).slice(1)}?format=json`,
    lines: [`${w.nav}: ${amount}`, `${w.day}: ${dayIn(language, date)}`],
  }
}

const timeOf = (day: string) => `${day}T00:00:00Z`
