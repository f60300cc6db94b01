/** Documents about a fund: the newest of each kind and language, then the earlier ones. */

import { documentKinds } from '../../../../core/api/contract/rows.ts'
import type { Language } from '../../../../core/api/routes/table.ts'
import { html, type Html, linkTo, section, table } from '../../../../core/layout/html.ts'
import { documentsKey } from '../../../../core/layout/layout.ts'
import { dayIn } from '../../../../core/layout/formats.ts'
import type { FundFacts } from '../facts.ts'
import { type Paper, papersOf } from '../papers.ts'
import { fundWords } from '../wording.ts'

export function documentsSection(
  { fund, documents }: FundFacts,
  language: Language,
  key: string,
): Html | null {
  if (documents.length === 0) return null
  const w = fundWords[language]
  const sorted = sortedPapers(papersOf(documents))
  const newest = newestOf(sorted)
  const earlier = sorted.filter((one) => !newest.has(one))
  const namesCountries = sorted.some(({ countries }) => countries.length > 0)
  const listed = (some: Iterable<Paper>, caption: string) =>
    table({
      caption,
      kind: 'papers',
      columns: [w.document, w.language, ...(namesCountries ? [w.countries] : []), w.day],
      rows: Array.from(some, (paper) => rowOf(paper, namesCountries, language)),
    })
  return section(
    'papers',
    w.papers,
    html`${listed(newest, w.papers)}${
        earlier.length > 0 &&
        html`<details>
          <summary>${w.earlier} (${earlier.length})</summary>
          ${listed(earlier, w.earlier)}
        </details> `
      }
      <p class="small"><a href="${linkTo(key, documentsKey(fund.isin))}">${w.asData}</a></p>`,
  )
}

/** The first of each kind and language, in one country at least. @param sorted the newest first */
function newestOf(sorted: readonly Paper[]): ReadonlySet<Paper> {
  const places = new Set<string>()
  const placesOf = ({ kind, language, countries }: Paper) =>
    (countries.length === 0 ? [''] : countries).map((country) => `${kind} ${language} ${country}`)
  return new Set(
    sorted.filter((paper) => {
      const fresh = placesOf(paper).filter((place) => !places.has(place))
      for (const place of fresh) places.add(place)
      return fresh.length > 0
    }),
  )
}

/** By kind, then by language, the newest first. */
function sortedPapers(papers: readonly Paper[]): readonly Paper[] {
  const place = ({ kind, language }: Paper) => `${documentKinds.indexOf(kind)} ${language}`
  return papers.toSorted((one, other) => {
    const here = place(one)
    const there = place(other)
    if (here !== there) return here < there ? -1 : 1
    if (one.date !== other.date) return one.date > other.date ? -1 : 1
    return one.countries.join() < other.countries.join() ? -1 : 1
  })
}

function rowOf(
  { kind, language: of, date, title, url, countries }: Paper,
  namesCountries: boolean,
  language: Language,
) {
  const name = fundWords[language].kinds[kind]
  const link = html`<a href="${new URL(url).href}" lang="${of}" hreflang="${of}" rel="noopener"
    >${title.trim() || name}</a
  >`
  const small = title.trim() !== name && html` <small>${name}</small>`
  const where = countries.length === 0 ? fundWords[language].allCountries : countries.join(', ')
  return [html`${link} ${small}`, of.toUpperCase(), ...(namesCountries ? [where] : []), dayIn(language, date)]
}
