import { inLanguage, mayGiveOutPrices } from '../../../core/api/contract/fund.ts'
import type { FundLife, FundPages } from '../../../core/api/contract/page.ts'
import { isWebAddress } from '../../../core/api/contract/texts.ts'
import { type Language, languages } from '../../../core/api/routes/table.ts'
import {
  categoryIn,
  changeOf,
  figure,
  fundName,
  html,
  type Html,
  linkedData,
  linkTo,
} from '../../../core/layout/html.ts'
import { addressOf, organizationOf } from '../../../core/layout/head.ts'
import {
  feedLink,
  frontPages,
  fundFeedKeys,
  fundPageKeys,
  layout,
  sectionLinks,
} from '../../../core/layout/layout.ts'
import { statusWords } from '../../../core/layout/status-wording.ts'
import { amountIn, dayIn, percentIn } from '../../../core/layout/formats.ts'
import { chartStyleKey } from './chart/style.ts'
import { factReads, fundEntry, fundFacts, type FundFacts, type PriceFacts, type Return } from './facts.ts'
import { fundFeeds } from './feed.ts'
import { fundChart } from './image.ts'
import { successorLink, withLink } from './merged.ts'
import { fundLists } from './own-lists.ts'
import { dataSection } from './sections/data.ts'
import { documentsSection } from './sections/documents.ts'
import { emtSection } from './sections/emt.ts'
import { allocationsSection, figuresSection, profileSection, structureSection } from './sections/holdings.ts'
import { performanceSection, priceSection } from './sections/performance.ts'
import { fundWords, type LifeWords } from './wording.ts'

export const catalogueFundPages: FundPages = {
  folder: 'funds/',
  names: [
    'chart.svg',
    'de.html',
    'distributions.csv',
    'distributions.json',
    'documents.json',
    'feed.de.xml',
    'feed.xml',
    'index.html',
  ],
  reads: factReads,
  isFor: ({ fund }) => fund.dataPermitted === 1,
  render: (source) => {
    const facts = fundFacts(source)
    const keys = fundPageKeys(source.fund.isin)
    const pages = languages.map((language) => ({ key: keys[language], content: fundPage(facts, language) }))
    return [...pages, fundChart(facts), ...fundLists(facts), ...fundFeeds(facts)].sort((one, other) =>
      one.key < other.key ? -1 : 1,
    )
  },
  entry: fundEntry,
}

function fundPage(facts: FundFacts, language: Language): string {
  const { fund, parts, publisher, baseUrl } = facts
  const w = fundWords[language]
  const keys = fundPageKeys(fund.isin)
  const key = keys[language]
  const sections = [
    ['price', w.price, priceSection(facts, language, key)],
    ['performance', w.performance, performanceSection(facts, language)],
    ['structure', w.structure, structureSection(facts, language)],
    ['allocations', w.allocations, allocationsSection(facts, language)],
    ['figures', w.figures, figuresSection(facts, language)],
    ['profile', w.profile, profileSection(facts, language)],
    ['emt', w.emt, emtSection(facts, language)],
    ['papers', w.papers, documentsSection(facts, language, key)],
    ['data', w.data, dataSection(facts, language, key)],
  ] as const
  const shown = sections.flatMap(([id, heading, section]) => (section === null ? [] : [{ id, heading }]))
  return layout({
    keys,
    language,
    baseUrl,
    title: `${fund.name} (${fund.isin})`,
    description: w.description(fund.name, fund.isin),
    part: 'funds',
    parts,
    publisher,
    styles: [chartStyleKey, 'funds/fund.css'],
    scripts: ['funds/fund.js'],
    head: html`${linkedData(markupOf(facts, language))}${
      facts.price !== null && feedLink(key, language, fundFeedKeys(fund.isin)[language], w.feed)
    }`,
    side: sectionLinks(shown, language),
    main: html`${header(facts, language, key)}${sections.map(([, , section]) => section)}`,
  })
}

function header(facts: FundFacts, language: Language, key: string): Html {
  const { fund, profile, isComparable, publisher } = facts
  const w = fundWords[language]
  const german = profile?.categoryDe ?? null
  const category = german === null ? null : categoryIn(language, german, profile?.categoryEn ?? null)
  const ofCategory = `${linkTo(key, frontPages.funds[language])}?category=${encodeURIComponent(german ?? '')}`
  const figures = headFigures(facts, language)
  const website = websiteOf(fund)
  const income = profile?.accumulating === 1 ? w.accumulating : w.distributing
  return html`<div class="fund-head">
    ${category !== null && html`<p class="eyebrow"><a href="${ofCategory}">${category}</a></p> `}
    <h1>${fundName(publisher, fund.name)}</h1>
    <p class="codes">
      <span data-copy>ISIN <code>${fund.isin}</code></span>
      ${fund.wkn !== null && html`<span>WKN <code>${fund.wkn}</code></span> `}
      <span>${fund.currency}${profile !== null && `, ${income}`}</span>
      ${website !== undefined && html`<a href="${website}" rel="noopener external">${w.website}</a> `}
      ${isComparable && html`<a href="${linkTo(key, frontPages.compare[language])}?isins=${fund.isin}">${w.compare}</a>`}
    </p>
    ${notices(facts, language, key)} ${figures.length > 0 && html`<dl class="headline">${figures}</dl> `}
  </div> `
}

/** A database may hold any text: only a web address becomes a link, never one that a browser would run. */
function websiteOf({ isin, url }: FundFacts['fund']): string | undefined {
  const address = isWebAddress(url) ? URL.parse(url)?.href : undefined
  // A fund without a page of its company's has this one.
  return address?.endsWith(`/funds/${isin}/`) === true ? undefined : address
}

function headFigures(facts: FundFacts, language: Language): readonly Html[] {
  const { fund, profile, price, emt } = facts
  const w = fundWords[language]
  const figures: Html[] = []
  if (price !== null) {
    const nav = amountIn(language, price.newest.netAssetValue, fund.currency)
    figures.push(figure(w.nav, nav, dayOfPrice(facts, price, language)))
    if (price.oneYear !== null) figures.push(figure(w.oneYear, returned(language, price.oneYear)))
    if (price.fiveYears !== null) figures.push(figure(w.fiveYears, returned(language, price.fiveYears)))
  }
  if (profile !== null) figures.push(figure(w.costsHead, percentIn(language, profile.totalExpenseRatio)))
  if (typeof emt?.srri === 'number') figures.push(figure(w.riskHead, emt.srri))
  return figures
}

/** The end of a fund, its suspension, both also if they are announced, and why there is no price, or no newer one. None for most funds. */
function notices({ fund, life, announced, price, publisher }: FundFacts, language: Language, key: string) {
  const w = fundWords[language]
  const noteOf = (each: FundLife, words: LifeWords) => {
    if (each.kind === 'suspended') {
      const from = dayIn(language, each.from)
      return each.to === null
        ? words.suspendedSince(from)
        : words.suspendedUntil(from, dayIn(language, each.to))
    }
    const day = dayIn(language, each.day)
    return each.successor === null
      ? words.ends[each.reason ?? 'ended'](day)
      : withLink(
          (into) => words.mergedInto(w.thisFund, into, day),
          successorLink(each.successor, publisher, language, key),
        )
  }
  const hasCome = (each: FundLife) => each.kind === 'ended' && each.isLastDay
  const notes = [
    ...(life === null ? [] : [noteOf(life, w)]),
    ...(life?.kind === 'ended' && price !== null ? [w.endedData] : []),
    ...announced.map((each) => noteOf(each, hasCome(each) ? w : w.announced)),
    ...(price === null ? [mayGiveOutPrices(fund) ? w.withoutPrices : w.noPrices] : []),
  ]
  const overdue = price?.overdue ?? null
  return [
    notes.length > 0 && html`<p class="callout">${notes.map((note) => html`${note} `)}</p> `,
    overdue !== null && html`<p class="callout fault">${w.overdueNote[overdue]}</p> `,
  ]
}

/** The day of the newest price, and its change since the day before. */
function dayOfPrice({ performance, life }: FundFacts, { newest, overdue }: PriceFacts, language: Language) {
  const state = life?.kind ?? overdue
  const mark =
    state !== null && html` <span class="mark ${state}">${statusWords[language].marks[state]}</span>`
  const change = typeof performance === 'object' && signed(language, newest.changePercent)
  return html`${change} ${dayIn(language, newest.date)}${mark}`
}

/** With its source, since the chart computes, and with its day, unless the price beside it has the same. */
function returned(language: Language, { percent, from, until }: Return): Html {
  const w = fundWords[language]
  const end = until !== null && html` <small>${w.until(dayIn(language, until))}</small>`
  return html`${signed(language, percent)} <small>${w.returns[from]}</small>${end}`
}

function signed(language: Language, decimal: string): Html {
  const { text, tone } = changeOf(language, decimal)
  return tone === '' ? html`${text}` : html`<span class="${tone}">${text}</span>`
}

/** For search engines. Source: schema.org/InvestmentFund. */
const markupOf = ({ fund, life, profile, price, baseUrl, publisher }: FundFacts, language: Language) => ({
  '@context': 'https://schema.org',
  '@type': 'InvestmentFund',
  name: fund.name,
  ...(publisher?.name ? { provider: organizationOf(publisher, baseUrl) } : {}),
  url: addressOf(baseUrl, fundPageKeys(fund.isin)[language]),
  identifier: [
    { '@type': 'PropertyValue', propertyID: 'ISIN', value: fund.isin },
    ...(fund.wkn === null ? [] : [{ '@type': 'PropertyValue', propertyID: 'WKN', value: fund.wkn }]),
  ],
  // Nobody offers shares of a fund that has ended or is suspended.
  ...(price === null || life !== null
    ? {}
    : { offers: { '@type': 'Offer', price: price.newest.netAssetValue, priceCurrency: fund.currency } }),
  ...(profile !== null && profile.categoryDe !== null
    ? { category: inLanguage(language, profile.categoryDe, profile.categoryEn) }
    : {}),
})
