/**
 * One fund in a build: reads, checks and renders what changed. Unchanged documents were made from the same rows by the
 * same code: their files and lines are reused, and their rows need no second check.
 */

import { mayGiveOutPrices } from '../api/contract/fund.ts'
import type { FundLife, FundPageSource } from '../api/contract/page.ts'
import type { FundRows } from '../api/contract/rows.ts'
import { formatsOf } from '../api/routes/table.ts'
import { isDay } from '../api/routes/values.ts'
import { checkFund } from '../data/check/fund.ts'
import type { Finding } from '../data/check/finding.ts'
import { fundDigests, wholeGroups, type WholeGroup, type YearDigest } from '../data/read/fund-digests.ts'
import { fundReader, lifeReader, readPriceDays } from '../data/read/fund-reader.ts'
import { navReader } from '../data/read/nav.ts'
import type { FundDatabase } from '../data/read/open.ts'
import { daysOfRhythm, overdueMark } from '../guards/assess.ts'
import { announcedOn, type LifeState, lifeOn } from '../guards/life.ts'
import type { DocumentFiles } from './document-files.ts'
import {
  membersOf,
  putDocuments,
  putWindows,
  type Put,
  type RenderContext,
  type WindowLines,
} from './fund-documents.ts'
import { dayThatCounts, fundInputs, fundRows, type FundInputs, type FundRowsRead } from './inputs.ts'
import { byKey, linesByName, linesOf, type ParsedLine, type RenderedLine } from './manifest.ts'
import { entryOf, putFundPages } from './pages.ts'
import { nameOf, type Plan, type Rendering } from './plans.ts'
import type { FundNews } from './shard.ts'

export type FundRenderer = ReturnType<typeof fundRenderer>

export type RenderedFund = NonNullable<ReturnType<FundRenderer['render']>['rendered']>

export function fundRenderer(
  db: FundDatabase,
  { settings, table, plans, allFunds, rules, makers: { fundPages } }: Rendering,
  files: DocumentFiles,
) {
  const { asOf, renderer, baseUrl, parts, publisher } = settings
  const reader = fundReader(db)
  const digests = fundDigests(db)
  const navs = navReader(db)

  const check = (isin: string): readonly Finding[] => {
    const fund = reader.read(isin)
    return fund === undefined ? [] : checkFund(fund, asOf)
  }
  const refuse = (isin: string) => {
    const findings = check(isin)
    if (hasError(findings)) return { findings, rendered: null }
    throw new Error(`fund ${isin}: its rows cannot be told apart, but the checks find nothing wrong`)
  }
  const overdueOf = (isin: string) => {
    const [fund] = readPriceDays(db, [isin], daysOfRhythm)
    return fund === undefined ? null : overdueMark(fund, rules, asOf)
  }
  const readLife = lifeReader(db)
  const withSuccessor = (life: NonNullable<LifeState>): FundLife => {
    if (life.kind !== 'ended') return life
    const { successorIsin, ...end } = life
    const successor = successorIsin === null ? undefined : reader.fund(successorIsin)
    const name = successor?.dataPermitted === 1 ? successor.name : null
    const known = successorIsin === null ? null : { isin: successorIsin, name }
    return { ...end, successor: known, isLastDay: end.day === asOf }
  }
  const lifeOf = (isin: string): Pick<FundPageSource, 'life' | 'announced'> => {
    const facts = fundPages.length === 0 ? undefined : readLife(isin)
    if (facts === undefined) return { life: null, announced: [] }
    const life = lifeOn(facts, asOf)
    return {
      life: life && withSuccessor(life),
      announced: announcedOn(facts, asOf).map(withSuccessor),
    }
  }
  const fundOf = (isin: string) => {
    const fund = reader.fund(isin)
    if (fund === undefined) throw new Error(`there is no fund ${isin}`)
    return fund
  }
  return {
    check,
    /**
     * Checks and renders a fund; after an error, only checks.
     * @param previous lines of the previous manifest: a text for each plan, then for each kind of pages
     */
    render: (isin: string, previous: readonly string[]) => {
      const fund = fundOf(isin)
      const years = digests.years(isin)
      // An invalid or future day cannot be compared: the checks refuse it.
      const isLegible = isDay(fund.inceptionDate) && years !== null && (years.at(-1)?.last ?? '') <= asOf
      if (!isLegible) return refuse(isin)

      const inputs = fundInputs(digests, renderer, fund, asOf, years)
      const unchanged = plans.map((plan, index) => {
        const found = unchangedOf(plan, isin, previous[index] ?? '', inputs, years)
        return { plan, ...(files.reuse(found.reused) ? found : noneUnchanged(found.lines)) }
      })
      const rows = fundRows(reader, fund)
      const findings = checkFund({ fund, ...rowsToCheck(plans, unchanged, rows, inputs, years) }, asOf)
      // The message names all errors, also those in unchanged rows.
      if (hasError(findings)) return refuse(isin)

      const context = { day: dayThatCounts(fund, asOf), table }
      const source: FundPageSource = {
        ...context,
        fund,
        baseUrl,
        parts,
        publisher,
        overdue: fundPages.length === 0 ? null : overdueOf(isin),
        ...lifeOf(isin),
        rows: rows.group,
        newestPrice: rows.newestPrice,
        navSample: () => navs.sample(isin),
        navAt: (day) => navs.at(isin, day),
        navFrom: (day) => navs.from(isin, day),
        latestNavs: (count) => navs.latest(isin, count),
      }
      const documents = unchanged.map((one) => renderPlan(one, files, rows, inputs, years, context))
      const pages = fundPages.map((some, index) =>
        putFundPages(some, previous[plans.length + index] ?? '', source, inputs, files),
      )
      const made = [...documents, ...pages]
      const answered = plans.filter((_, index) => documents[index]?.isAnswer === true)
      const news: FundNews = {
        isin,
        from: Object.fromEntries(allFunds.map(({ of: { endpoint } }) => [endpoint.id, inputs.of(endpoint)])),
        answers: new Set(answered.map(({ endpoint }) => endpoint.id)).size,
        entry: entryOf(fundPages, source),
        rows: inputs.rows(),
      }
      const rendered = {
        news,
        objects: sum(made, ({ objects }) => objects),
        bytes: sum(made, ({ bytes }) => bytes),
        reused: sum(made, ({ reused }) => reused),
        /** ISO 8601 day of the newest price, or null if none is published. */
        newestPrice: mayGiveOutPrices(fund) ? (years.at(-1)?.last ?? null) : null,
        /** Manifest lines by plan, then by pages. Text that equals the previous manifest's is left out. */
        lines: new Map(made.flatMap(({ text }, index) => (text === null ? [] : [[index, text] as const]))),
      }
      return { findings, rendered }
    },
    /** A checked fund's part of the document over all funds, or null. */
    members: (isin: string, plan: Plan) => {
      const fund = fundOf(isin)
      const context = { day: dayThatCounts(fund, asOf), table }
      return membersOf(plan, fundRows(reader, fund).of(plan.endpoint), context)
    },
  }
}

/** Renders a plan's changed documents. @returns the lines of all, in the order of keys */
function renderPlan(
  { plan, lines, reused, isWhole, windows }: Unchanged & { readonly plan: Plan },
  files: DocumentFiles,
  rows: FundRowsRead,
  inputs: FundInputs,
  years: readonly YearDigest[],
  context: RenderContext,
) {
  const [answer = ''] = plan.names.answer
  if (isWhole) return { ...linesOf(reused, reused.length), isAnswer: lines.has(answer) }
  const all: RenderedLine[] = [...reused]
  const putFrom =
    (from: string): Put =>
    (document) => {
      const line = files.put(document, from, lines.get(nameOf(document.key)))
      all.push(line)
      return line
    }
  const from = inputs.of(plan.endpoint)
  if (plan.windows === null) putDocuments(plan, rows.of(plan.endpoint), context, putFrom(from))
  else
    putWindows(plan, plan.windows, years, windows, rows.ofYear, context, (year) =>
      putFrom(year === null ? from : inputs.ofYear(year)),
    )
  all.sort(byKey)
  return { ...linesOf(all, reused.length), isAnswer: all.some(({ key }) => nameOf(key) === answer) }
}

type Unchanged = ReturnType<typeof noneUnchanged>

/** Also for documents whose files are missing. @param lines of the previous manifest, by the name of the file */
const noneUnchanged = (lines: ReadonlyMap<string, ParsedLine>) => ({
  lines,
  reused: [] as readonly ParsedLine[],
  /** True if all documents are unchanged. */
  isWhole: false,
  /** The unchanged windows, by year. */
  windows: new Map<string, WindowLines>(),
})

/** @param previous the fund's lines of the plan in the previous manifest @param years with prices */
function unchangedOf(
  { folder, endpoint, route, names, windows: hasWindows }: Plan,
  isin: string,
  previous: string,
  inputs: FundInputs,
  years: readonly YearDigest[],
): Unchanged {
  const lines = linesByName(previous, `${folder}${isin}/`)
  if (lines.size === 0) return noneUnchanged(lines)
  const { answer, window, refusal } = names
  const from = inputs.of(endpoint)
  const areFrom = (files: readonly string[], input: string) =>
    files.every((name) => lines.get(name)?.from === input)
  const windows =
    hasWindows === null ? [] : years.filter((year) => areFrom(window(year.year), inputs.ofYear(year)))
  const isAnswer =
    (hasWindows === null || windows.length === years.length) &&
    lines.size === answer.length + windows.length * window('').length &&
    areFrom(answer, from)
  if (isAnswer || (lines.size === refusal.length && areFrom(refusal, from)))
    return { lines, reused: [...lines.values()], isWhole: true, windows: new Map() }
  const byYear = windows.map(({ year }) => {
    const files = window(year).flatMap((name) => lines.get(name) ?? [])
    return [
      year,
      new Map(
        formatsOf(route).flatMap((format, index) => {
          const line = files[index]
          return line === undefined ? [] : [[format, line] as const]
        }),
      ),
    ] as const
  })
  return {
    lines,
    reused: byYear.flatMap(([, files]) => [...files.values()]),
    isWhole: false,
    windows: new Map(byYear),
  }
}

/**
 * The rows of a fund that need a check. A snapshot is only made from rows without errors, so rows of unchanged
 * documents are not checked again. Rows that may warn are checked in every build: doubtful texts, and the first and the
 * last price, whose days are compared with others.
 */
function rowsToCheck(
  plans: readonly Plan[],
  unchanged: readonly Unchanged[],
  rows: FundRowsRead,
  inputs: FundInputs,
  years: readonly YearDigest[],
): FundRows {
  const whole = plans.filter((_, index) => unchanged[index]?.isWhole === true)
  const isChecked = (group: WholeGroup) =>
    whole.some(({ endpoint }) => endpoint.reads.includes(group)) && !inputs.group(group).isDoubtful
  const others = wholeGroups.map((group) => [group, isChecked(group) ? [] : rows.group(group)])

  const areChecked = whole.some(({ windows }) => windows !== null)
  const isYearChecked = ({ year }: YearDigest) =>
    areChecked || unchanged.some(({ windows }) => windows.has(year))
  const oldest = years.at(0)
  const newest = years.at(-1)
  const prices = [
    ...(oldest !== undefined && isYearChecked(oldest) ? rows.day(oldest.first) : []),
    ...years.filter((year) => !isYearChecked(year)).flatMap(({ year }) => rows.year(year)),
    ...(newest !== undefined && isYearChecked(newest) ? rows.day(newest.last) : []),
  ]
  return { ...(Object.fromEntries(others) as unknown as Omit<FundRows, 'prices'>), prices }
}

const hasError = (findings: readonly Finding[]) => findings.some(({ severity }) => severity === 'error')

export const sum = <T>(items: readonly T[], of: (item: T) => number) =>
  items.reduce((total, item) => total + of(item), 0)

/** The later of two days; null is no day. */
export const laterDay = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one
