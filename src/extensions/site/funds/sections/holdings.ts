/** Structures of a fund, its allocation over time as stacked areas, and its figures, profile and costs. */

import { inLanguage } from '../../../../core/api/contract/fund.ts'
import type { StructureItemRow } from '../../../../core/api/contract/rows.ts'
import { correlationType, structureTypeName } from '../../../../core/api/contract/structure-types.ts'
import type { Language } from '../../../../core/api/routes/table.ts'
import {
  categoryIn,
  drawing,
  escapeHtml,
  figure,
  html,
  type Html,
  type HtmlContent,
  noValue,
  raw,
  section,
  table,
  twoViews,
} from '../../../../core/layout/html.ts'
import { fundWords } from '../wording.ts'
import {
  amountIn,
  dayIn,
  fixedIn,
  germanTextIn,
  monthDayIn,
  percentIn,
} from '../../../../core/layout/formats.ts'
import { classColour } from '../chart/classes.ts'
import { areaChart, rowBars, spanOf } from '../chart/charts.ts'
import type { Allocation, FundFacts } from '../facts.ts'

export function structureSection({ fund, structures }: FundFacts, language: Language): Html | null {
  if (structures.length === 0) return null
  const span = Math.max(
    ...structures.filter(({ type }) => type !== correlationType).map(({ items }) => spanOf(valuesOf(items))),
  )
  const columns = inColumns(withoutRepeats(structures, language), span).map(
    (cards) => html`<div>${cards.map((each) => card(each, language, span))}</div> `,
  )
  return section(
    'structure',
    fundWords[language].structure,
    html`${dayOf(fund, language)}
      <div class="cards">${columns}</div>`,
  )
}

/** Below the headings of what a fund has on one day, and of no more: the others have days of their own. */
const dayOf = ({ statusDate }: FundFacts['fund'], language: Language) =>
  statusDate !== null &&
  html`<p class="quiet small">${fundWords[language].statusDate(dayIn(language, statusDate))}</p> `

type Items = readonly StructureItemRow[]

const valuesOf = (items: Items) => items.map(({ percent }) => percent)

interface Card {
  readonly type: string
  /** Of each type that has these items. */
  readonly name: string
  readonly items: Items
}

/** A list that is the same as an earlier one stands with it: for a fund of shares, the largest securities are the largest shares. */
function withoutRepeats(structures: FundFacts['structures'], language: Language): readonly Card[] {
  const cards = new Map<string, Card>()
  for (const { type, items } of structures) {
    const content = JSON.stringify(items.map(({ nameDe, nameEn, percent }) => [nameDe, nameEn, percent]))
    const known = cards.get(content)
    const own = structureTypeName(type, language)
    const name = known === undefined ? own : `${known.name} · ${own}`
    cards.set(content, { type: known?.type ?? type, name, items })
  }
  return [...cards.values()]
}

/** @returns two columns that end as near to each other as possible; in each, the cards keep their order */
function inColumns(cards: readonly Card[], span: number): readonly (readonly Card[])[] {
  const heightOf = (each: Card) => linesOf(each, span)
  const [first, ...others] = cards
  if (first === undefined) return []
  const total = cards.reduce((sum, each) => sum + heightOf(each), 0)
  /** What the left column may hold, by its height: of all that are as high, the cards that come first. */
  let ways = new Map<number, readonly Card[]>([[heightOf(first), [first]]])
  for (const each of others) {
    const longer = Array.from(ways, ([height, some]) => [height + heightOf(each), [...some, each]] as const)
    ways = new Map([...longer, ...ways])
  }
  const unevenness = (height: number) => Math.abs(total - 2 * height)
  const best = [...ways.keys()].reduce((one, other) => (unevenness(other) < unevenness(one) ? other : one))
  const left = ways.get(best) ?? []
  return [left, cards.filter((each) => !left.includes(each))].filter(({ length }) => length > 0)
}

/** Of a card, in halves of a line: its heading and the space below, its items with or without bars, what opens the others. */
const linesOf = ({ type, items }: Card, span: number) =>
  4 + Math.min(items.length, shown) * (hasBars(type, items, span) ? 3 : 2) + (items.length > shown ? 2 : 0)

/** Number of items at once. The others follow on demand. */
const shown = 10

/** @param span of the percentages of all cards, which have one scale */
function card({ type, name, items }: Card, language: Language, span: number): Html {
  const bar = barOf(type, items, span)
  // A correlation is a coefficient; the values of all other types are percent of the fund.
  const valueOf = (value: number) =>
    type === correlationType ? fixedIn(language, value, 2) : percentIn(language, value)
  const rows = (some: readonly StructureItemRow[]) =>
    some.map((item) => {
      const heading = escapeHtml(inLanguage(language, item.nameDe, item.nameEn))
      return raw(`<tr><th scope="row">${heading}${bar(item)}</th><td>${valueOf(item.percent)}</td></tr>`)
    })
  const rest = items.slice(shown)
  const others = html`<details>
    <summary>${fundWords[language].rest(rest.length)}</summary>
    <table class="shares">
      <caption class="unseen">
        ${name}
      </caption>
      <tbody>
        ${rows(rest)}
      </tbody>
    </table>
  </details> `
  return html`<div class="card">
    <table class="shares">
      <caption>
        ${name}
      </caption>
      <tbody>
        ${rows(items.slice(0, shown))}
      </tbody>
    </table>
    ${rest.length > 0 && others}
  </div> `
}

/** Types whose items are asset classes, which have colours of their own. */
const ofAssetClasses = /^(?:exposure_)?asset_structure/

/** Of a scale: bars that are all shorter, as of single holdings, tell nothing that their figures do not. */
const leastTelling = 0.2

const hasBars = (type: string, items: Items, span: number) =>
  spanOf(valuesOf(items)) >= leastTelling * scaleOf(type, items, span)

/** A coefficient is no percentage. */
const scaleOf = (type: string, items: Items, span: number) =>
  type === correlationType ? Math.max(1, spanOf(valuesOf(items))) : span

function barOf(type: string, items: Items, span: number): (item: StructureItemRow) => string {
  if (!hasBars(type, items, span)) return () => ''
  const bar = rowBars(valuesOf(items), scaleOf(type, items, span))
  return ({ nameDe, percent }) =>
    bar(percent, ofAssetClasses.test(type) ? classColour(nameDe) : percent < 0 ? 'down' : '')
}

export function allocationsSection({ allocations }: FundFacts, language: Language): Html | null {
  const w = fundWords[language]
  const [first, second] = allocations.map((allocation) => {
    const title = allocation.derivatives === 0 ? w.withoutDerivatives : w.withDerivatives
    return [title, allocationPart(allocation, title, language)] as const
  })
  if (first === undefined) return null
  const content =
    second === undefined
      ? html`<h3>${first[0]}</h3>
          ${first[1]}`
      : twoViews('allocation', w.allocations, [first, second])
  return section('allocations', w.allocations, content)
}

/** The legend has the shares of the newest day, or of the day that the reader chooses in the areas. */
function allocationPart(allocation: Allocation, title: string, language: Language): Html {
  const { derivatives, stack, days, first, last, classes } = allocation
  const w = fundWords[language]
  const caption = `${w.allocations}: ${title}`
  const id = `allocation-${derivatives}`
  const description = `${dayIn(language, first)} – ${dayIn(language, last)}`
  const share = html`${w.shareOn} <span class="day">${dayIn(language, last)}</span>`
  return html`<figure class="beside area-chart" data-days="${days.join(' ')}">
    ${stack && drawing({ id, title: caption, description, height: 220, shapes: areaChart(stack, language) })}
    ${table({
      caption,
      kind: 'shares',
      columns: [w.assetClass, { content: share, kind: 'number' }],
      // The top of the stack comes first.
      rows: classes.toReversed().map(({ nameDe, nameEn, colour, newest, values }) => {
        const shares = values.map((value) => Math.round(value * 100) / 100).join(' ')
        return [
          [html`<i class="${colour}"></i>`, inLanguage(language, nameDe, nameEn)],
          {
            content: newest === null ? noValue(language) : percentIn(language, newest),
            attributes: html` data-shares="${shares}"`,
          },
        ]
      }),
    })}
  </figure> `
}

/** `value` is null if nobody knows it: then it is left out. */
type Fact = readonly [name: string, value: HtmlContent]

export function figuresSection({ fund, keyFigures }: FundFacts, language: Language): Html | null {
  const textOf = (value: string | null) =>
    value === null ? noValue(language) : germanTextIn(language, value)
  const facts = keyFigures.map(({ nameDe, nameEn, value, value2, hasValue2 }): Fact => {
    const values = hasValue2 === 1 ? [textOf(value), ' / ', textOf(value2)] : textOf(value)
    return [inLanguage(language, nameDe, nameEn), values]
  })
  return factsSection('figures', fundWords[language].figures, facts, dayOf(fund, language))
}

export function profileSection({ fund, profile: row }: FundFacts, language: Language): Html | null {
  if (row === null) return null
  const w = fundWords[language]
  const money = (decimal: string) => amountIn(language, decimal, fund.currency)
  const yesOrNo = (flag: 0 | 1) => (flag === 1 ? w.yes : w.no)
  /** Null for what the fund does not have, or nobody knows. */
  const orNull = <T>(value: T | null, show: (value: T) => HtmlContent) =>
    value === null ? null : show(value)
  const way = (flag: 0 | 1 | null, minimum: string | null) => {
    if (flag === null) return null
    if (flag === 0) return w.notOffered
    return minimum === null ? w.offered : w.from(money(minimum))
  }
  const rate = (value: number) => percentIn(language, value)
  return factsSection('profile', w.profile, [
    [w.category, orNull(row.categoryDe, (german) => categoryIn(language, german, row.categoryEn))],
    [w.benchmark, row.benchmark],
    [w.inception, dayIn(language, fund.inceptionDate)],
    [w.assets, orNull(row.fundAssets, money)],
    [w.totalAssets, amountIn(language, row.totalFundAssets, row.totalFundAssetsCurrency ?? fund.currency)],
    [w.fiscalYear, monthDayIn(language, row.endOfFiscalYear)],
    [w.income, row.accumulating === 1 ? w.accumulating : w.distributing],
    [w.conformity, orNull(row.conformity, yesOrNo)],
    [w.surcharge, orNull(row.issueSurcharge, rate)],
    [w.redemption, orNull(row.redemptionFee, rate)],
    [w.ter, rate(row.totalExpenseRatio)],
    [w.management, rate(row.managementFee)],
    [w.custodian, orNull(row.custodianBankFee, rate)],
    [w.performanceFee, yesOrNo(row.performanceFee)],
    [w.savings, way(row.savingsPlan, row.savingsPlanMinimum)],
    [w.oneTime, way(row.oneTimeInvestment, row.oneTimeInvestmentMinimum)],
    [w.capitalForming, way(row.capitalFormingPayments, row.capitalFormingPaymentsMinimum)],
  ])
}

function factsSection(id: string, heading: string, facts: readonly Fact[], day?: HtmlContent): Html | null {
  const known = facts.filter(([, value]) => value !== null)
  if (known.length === 0) return null
  const figures = known.map(([name, value]) => figure(name, value))
  return section(
    id,
    heading,
    html`${day}
      <dl class="facts">${figures}</dl>`,
  )
}
