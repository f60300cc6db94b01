/** One fund in a build: what changed is read, checked and rendered; the rest is reused, with its lines of the previous manifest. */

import { mayGiveOutPrices } from '../api/contract/fund.ts'
import type { FundPageSource, Overdue } from '../api/contract/page.ts'
import { isDay } from '../api/routes/values.ts'
import { checkFund } from '../data/check/fund.ts'
import type { Finding } from '../data/check/finding.ts'
import { fundDigests, type YearDigest } from '../data/read/fund-digests.ts'
import { fundReader } from '../data/read/fund-reader.ts'
import { navReader } from '../data/read/nav.ts'
import type { FundDatabase } from '../data/read/open.ts'
import type { DocumentFiles } from './document-files.ts'
import { membersOf, putDocuments, putWindows, type Put, type RenderContext } from './fund-documents.ts'
import { dayThatCounts, fundInputs, fundRows, type FundInputs, type FundRowsRead } from './inputs.ts'
import { byKey, linesOf } from './lines.ts'
import type { RenderedLine } from './manifest.ts'
import { entryOf, putFundPages } from './pages.ts'
import { nameOf, type Plan, type Rendering } from './plans.ts'
import type { FundNews } from './shard.ts'
import { noneUnchanged, rowsToCheck, unchangedOf, type Unchanged } from './unchanged.ts'

export type FundRenderer = ReturnType<typeof fundRenderer>

/** A fund's documents and pages. */
export type RenderedFund = NonNullable<ReturnType<FundRenderer['render']>['rendered']>

export function fundRenderer(
  db: FundDatabase,
  { settings, table, plans, allFunds, makers: { fundPages } }: Rendering,
  files: DocumentFiles,
) {
  const { asOf, renderer, baseUrl, hasDownloads } = settings
  const reader = fundReader(db)
  const digests = fundDigests(db)
  const navs = navReader(db)

  /** Every finding of a fund. */
  const check = (isin: string): readonly Finding[] => {
    const fund = reader.read(isin)
    return fund === undefined ? [] : checkFund(fund, asOf)
  }
  const refuse = (isin: string) => {
    const findings = check(isin)
    if (hasError(findings)) return { findings, rendered: null }
    throw new Error(`fund ${isin}: its rows cannot be told apart, but the checks find nothing wrong`)
  }
  const fundOf = (isin: string) => {
    const fund = reader.fund(isin)
    if (fund === undefined) throw new Error(`there is no fund ${isin}`)
    return fund
  }
  return {
    check,
    /**
     * Checks and renders a fund; with an error among the findings, nothing is rendered.
     * @param previous a plan each, then pages: the fund's lines of the previous manifest
     * @param overdue for its pages
     */
    render: (isin: string, previous: readonly string[], overdue: Overdue | null) => {
      const fund = fundOf(isin)
      const years = digests.years(isin)
      // An invalid or future day cannot be compared with anything: the checks refuse it.
      const isLegible = isDay(fund.inceptionDate) && years !== null && (years.at(-1)?.last ?? '') <= asOf
      if (!isLegible) return refuse(isin)

      const inputs = fundInputs(digests, renderer, fund, asOf, years)
      const unchanged = plans.map((plan, index) => {
        const found = unchangedOf(plan, isin, previous[index] ?? '', inputs, years)
        return { plan, ...(files.reuse(found.reused) ? found : noneUnchanged(found.lines)) }
      })
      const rows = fundRows(reader, fund)
      const findings = checkFund({ fund, ...rowsToCheck(plans, unchanged, rows, inputs, years) }, asOf)
      // The message names all errors.
      if (hasError(findings)) return refuse(isin)

      const context = { day: dayThatCounts(fund, asOf), table }
      const source: FundPageSource = {
        ...context,
        fund,
        baseUrl,
        hasDownloads,
        overdue,
        rows: rows.group,
        newestPrice: rows.newestPrice,
        navSample: () => navs.sample(isin),
        navAt: (day) => navs.at(isin, day),
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
        objects: sum(made.map(({ objects }) => objects)),
        bytes: sum(made.map(({ bytes }) => bytes)),
        reused: sum(made.map(({ reused }) => reused)),
        /** ISO 8601 day of the newest price, or null if none is given out. */
        newestPrice: mayGiveOutPrices(fund) ? (years.at(-1)?.last ?? null) : null,
        /** Manifest lines by plan, then by pages, without those that are as in the previous manifest. */
        lines: new Map(made.flatMap(({ text }, index) => (text === null ? [] : [[index, text] as const]))),
      }
      return { findings, rendered }
    },
    /** A fund's part of the document over all funds, or null. Only of a fund that was checked. */
    members: (isin: string, plan: Plan) => {
      const fund = fundOf(isin)
      const context = { day: dayThatCounts(fund, asOf), table }
      return membersOf(plan, fundRows(reader, fund).of(plan.endpoint), context)
    },
  }
}

/** Renders what changed. @returns the lines of all, in the order of keys */
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
      return line.sha256
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

const hasError = (findings: readonly Finding[]) => findings.some(({ severity }) => severity === 'error')

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
