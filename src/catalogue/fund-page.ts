/** The page of one fund in one language. */

import { inLanguage } from '../contract/fund.ts'
import { isWebAddress } from '../contract/texts.ts'
import { html, jsonForScript, type Html } from '../pages/html.ts'
import { layout, withoutDownloads } from '../pages/layout.ts'
import { fundScriptKey, styleKey } from './assets.ts'
import { dayIn, decimalIn, fixedIn, type Language } from './chart/formats.ts'
import type { FundFacts } from './fund-facts.ts'
import { fundPageKeys } from './fund-page-keys.ts'
import { allocationsSection } from './sections/allocations.ts'
import { dataSection } from './sections/data.ts'
import { performanceSection } from './sections/performance.ts'
import { priceSection } from './sections/price.ts'
import { structureSection } from './sections/structure.ts'
import { emtSection, figuresSection, profileSection } from './sections/tables.ts'
import { words } from './words.ts'

export function fundPage(facts: FundFacts, language: Language): string {
  const { fund } = facts
  const w = words[language]
  const keys = fundPageKeys(fund.isin)
  const key = keys[language]
  const sections: readonly (readonly [id: string, name: string, section: Html | null])[] = [
    ['price', w.price, priceSection(facts, language, key)],
    ['performance', w.performance, performanceSection(facts, language)],
    ['structure', w.structure, structureSection(facts, language)],
    ['allocations', w.allocations, allocationsSection(facts, language)],
    ['figures', w.figures, figuresSection(facts, language)],
    ['profile', w.profile, profileSection(facts, language)],
    ['emt', w.emt, emtSection(facts, language)],
    ['data', w.data, dataSection(facts, language, key)],
  ]
  const links = sections.map(([id, name, section]) =>
    section === null ? null : html`<li><a href="#${id}">${name}</a></li> `,
  )
  return layout({
    key,
    language,
    title: `${fund.name} (${fund.isin})`,
    description: w.description(fund.name, fund.isin),
    part: 'funds',
    without: withoutDownloads(facts),
    translations: keys,
    styles: [styleKey],
    scripts: [fundScriptKey],
    head: html`<script type="application/ld+json">
      ${jsonForScript(markupOf(facts, language))}
    </script>`,
    side: html`<nav aria-label="${w.onThisPage}">
      <p class="heading">${w.onThisPage}</p>
      <ul>
        ${links}
      </ul>
    </nav>`,
    main: html`${header(facts, language)}${sections.map(([, , section]) => section)}`,
    ...(fund.statusDate === null ? {} : { footer: html`${w.statusDate(dayIn(language, fund.statusDate))}` }),
  })
}

function header(facts: FundFacts, language: Language): Html {
  const { fund, profile, price, performance } = facts
  const w = words[language]
  const category = profile === null ? null : inLanguage(language, profile.categoryDe, profile.categoryEn)
  const figures: Html[] = []
  if (price !== null) {
    const { newest, overdue } = price
    const mark = overdue === null ? null : html` <span class="mark ${overdue}">${w.overdue[overdue]}</span>`
    figures.push(
      figure(
        w.nav,
        `${decimalIn(language, newest.netAssetValue)} ${fund.currency}`,
        html`${dayIn(language, newest.date)}${mark}`,
      ),
    )
    if (typeof performance === 'object') {
      const { oneYearPercent } = price
      if (oneYearPercent !== null) figures.push(figure(w.oneYear, signed(language, oneYearPercent)))
      const since = `${w.ytd}${language === 'de' ? '' : ' '}${Number(newest.date.slice(0, 4)) - 1}`
      figures.push(figure(w.change, signed(language, newest.changePercent)))
      figures.push(figure(since, signed(language, newest.performance)))
    }
  }
  if (profile !== null) figures.push(figure(w.assets, millions(language, profile.fundAssets, fund.currency)))
  return html`<div class="fund-head">
    ${category === null ? null : html`<p class="eyebrow">${category}</p> `}
    <h1>${fund.name}</h1>
    <p class="codes">
      <span>ISIN <code>${fund.isin}</code></span>
      ${fund.wkn === null ? null : html`<span>WKN <code>${fund.wkn}</code></span> `}
      <span>${w.inception} ${dayIn(language, fund.inceptionDate)}</span>
      ${website(facts, language)}
    </p>
    ${figures.length === 0 ? null : html`<dl class="headline">${figures}</dl> `}
  </div> `
}

const figure = (name: string, value: string | Html, below?: Html) =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
    ${below === undefined ? null : html`<dd class="below">${below}</dd> `}
  </div> `

/** Decimal text of percents, digit for digit, coloured by its sign. */
function signed(language: Language, decimal: string): Html {
  const value = Number(decimal)
  const text = `${value > 0 ? '+' : ''}${decimalIn(language, decimal)}\u00a0%`
  return value === 0 ? html`${text}` : html`<span class="${value > 0 ? 'good' : 'bad'}">${text}</span>`
}

/** `234.5 m EUR`: large amounts as they are read. */
function millions(language: Language, decimal: string, currency: string): string {
  const value = Number(decimal) / 1e6
  if (Math.abs(value) < 1) return `${decimalIn(language, decimal)} ${currency}`
  const unit = language === 'de' ? 'Mio.' : 'm'
  return `${fixedIn(language, value, Math.abs(value) < 1000 ? 1 : 0)} ${unit} ${currency}`
}

/** Whatever a database says: no address that a browser would run. */
function website({ fund }: FundFacts, language: Language): Html | null {
  if (!isWebAddress(fund.url)) return null
  return html`<a href="${fund.url}" rel="noopener external">${words[language].website}</a>`
}

/** What search engines read. Source: schema.org/InvestmentFund. */
function markupOf({ fund, profile, baseUrl }: FundFacts, language: Language): unknown {
  return {
    '@context': 'https://schema.org',
    '@type': 'InvestmentFund',
    name: fund.name,
    url: `${baseUrl}/${fundPageKeys(fund.isin)[language]}`,
    identifier: [
      { '@type': 'PropertyValue', propertyID: 'ISIN', value: fund.isin },
      ...(fund.wkn === null ? [] : [{ '@type': 'PropertyValue', propertyID: 'WKN', value: fund.wkn }]),
    ],
    ...(profile === null ? {} : { category: inLanguage(language, profile.categoryDe, profile.categoryEn) }),
  }
}
