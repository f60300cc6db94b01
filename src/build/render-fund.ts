/** One fund in a build: what changed is read, checked and rendered; the rest is reused, with its lines of the previous manifest. */

import { mayGiveOutPrices } from '../api/contract/fund.ts'
import type { FundPages, Overdue } from '../api/contract/page.ts'
import { endpoints } from '../api/endpoints/index.ts'
import type { Format } from '../api/routes/table.ts'
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
import { linesOf, type FundLines } from './lines.ts'
import type { RenderedLine } from './manifest.ts'
import { entryOf, fundPageSource, putFundPages, type PageSettings } from './pages.ts'
import { allFundsPlans, nameOf, type Plan } from './plans.ts'
import type { FundNews } from './shard.ts'
import { noneUnchanged, rowsToCheck, unchangedOf, type Unchanged } from './unchanged.ts'

export interface FundSettings extends PageSettings {
  /** As `rendererOf` gives it. */
  readonly renderer: string
}

/** A fund's documents and pages. */
export interface RenderedFund extends Omit<FundNews, 'isin'> {
  readonly objects: number
  readonly bytes: number
  /** How many of them are unchanged. */
  readonly reused: number
  /** ISO 8601 day of the newest price, or null if none is given out. */
  readonly newestPrice: string | null
  /** Manifest lines by plan, then by pages, without those that are as in the previous manifest. */
  readonly lines: ReadonlyMap<number, string>
}

export interface FundRenderer {
  /** Every finding of a fund. */
  readonly check: (isin: string) => readonly Finding[]
  /**
   * Checks and renders a fund; with an error among the findings, nothing is rendered.
   * @param previous a plan each, then pages: the fund's lines of the previous manifest
   * @param overdue for its pages
   */
  readonly render: (
    isin: string,
    previous: readonly string[],
    overdue: Overdue | null,
  ) => { readonly findings: readonly Finding[]; readonly rendered: RenderedFund | null }
  /** A fund's part of the document over all funds, or null. Only of a fund that was checked. */
  readonly members: (isin: string, plan: Plan) => Readonly<Record<Format, string>> | null
}

export function fundRenderer(
  db: FundDatabase,
  plans: readonly Plan[],
  pages: readonly FundPages[],
  files: DocumentFiles,
  settings: FundSettings,
): FundRenderer {
  const { asOf, table, renderer } = settings
  const reader = fundReader(db)
  const digests = fundDigests(db)
  const navs = navReader(db)
  const memberPlans = allFundsPlans(endpoints, table, plans).map(({ of }) => of)

  const check = (isin: string): readonly Finding[] => {
    const fund = reader.read(isin)
    return fund === undefined ? [] : checkFund(fund, asOf)
  }
  const refuse = (isin: string) => {
    const findings = check(isin)
    if (hasError(findings)) return { findings, rendered: null }
    throw new Error(`fund ${isin}: its rows cannot be told apart, but the checks find nothing wrong`)
  }
  return {
    check,
    render: (isin, previous, overdue) => {
      const fund = reader.fund(isin)
      if (fund === undefined) throw new Error(`there is no fund ${isin}`)
      const years = digests.years(isin)
      // An invalid or future day cannot be compared with anything: the checks refuse it.
      const isLegible = isDay(fund.inceptionDate) && years !== null && (years.at(-1)?.last ?? '') <= asOf
      if (!isLegible) return refuse(isin)

      const inputs = fundInputs(digests, renderer, fund, asOf, years)
      const unchanged = plans.map((plan, index) => {
        const found = unchangedOf(plan, isin, previous[index] ?? '', inputs, years)
        return files.reuse(found.reused) ? found : noneUnchanged(found.lines)
      })
      const rows = fundRows(reader, fund)
      const findings = checkFund({ fund, ...rowsToCheck(plans, unchanged, rows, inputs, years) }, asOf)
      // The message names all errors.
      if (hasError(findings)) return refuse(isin)

      const context = { day: dayThatCounts(fund, asOf), table }
      const documents = plans.map((plan, index) =>
        renderPlan(plan, unchanged[index] ?? noneUnchanged(new Map()), {
          files,
          rows,
          inputs,
          years,
          context,
        }),
      )
      const source = fundPageSource(rows, navs, settings, overdue)
      const made = [
        ...documents,
        ...pages.map((some, index) =>
          putFundPages(some, previous[plans.length + index] ?? '', source, inputs, files),
        ),
      ]
      const answered = plans.filter((_, index) => documents[index]?.isAnswer === true)
      const rendered = {
        objects: sum(made.map(({ objects }) => objects)),
        bytes: sum(made.map(({ bytes }) => bytes)),
        reused: sum(made.map(({ reused }) => reused)),
        newestPrice: mayGiveOutPrices(fund) ? (years.at(-1)?.last ?? null) : null,
        lines: new Map(made.flatMap(({ text }, index) => (text === null ? [] : [[index, text] as const]))),
        from: Object.fromEntries(memberPlans.map(({ endpoint }) => [endpoint.id, inputs.of(endpoint)])),
        answers: new Set(answered.map(({ endpoint }) => endpoint.id)).size,
        entry: entryOf(pages, source),
        rows: inputs.rows(),
      }
      return { findings, rendered }
    },
    members: (isin, plan) => {
      const fund = reader.fund(isin)
      if (fund === undefined) throw new Error(`there is no fund ${isin}`)
      return membersOf(plan, fundRows(reader, fund).of(plan.endpoint), {
        day: dayThatCounts(fund, asOf),
        table,
      })
    },
  }
}

interface PlanContext {
  readonly files: DocumentFiles
  readonly rows: FundRowsRead
  readonly inputs: FundInputs
  readonly years: readonly YearDigest[]
  readonly context: RenderContext
}

/** Renders what changed. @returns the lines of all, in the order of keys */
function renderPlan(
  plan: Plan,
  { lines, reused, isWhole, windows }: Unchanged,
  { files, rows, inputs, years, context }: PlanContext,
): FundLines & { readonly isAnswer: boolean } {
  const [answer = ''] = plan.names.answer
  if (isWhole) return { ...linesOf(reused, reused.length), isAnswer: lines.has(answer) }
  const all: RenderedLine[] = [...reused]
  const putFrom = (from: string): Put => {
    return (document) => {
      const line = files.put(document, from, lines.get(nameOf(document.key)))
      all.push(line)
      return line.sha256
    }
  }
  const from = inputs.of(plan.endpoint)
  if (plan.windows === null) {
    putDocuments(plan, rows.of(plan.endpoint), context, putFrom(from))
  } else {
    const wanted = years.map((year) => ({ ...year, digests: windows.get(year.year) ?? null }))
    putWindows(plan, plan.windows, wanted, rows.ofYear, context, (name) => {
      const year = years.find((candidate) => candidate.year === name)
      return putFrom(year === undefined ? from : inputs.ofYear(year))
    })
  }
  all.sort((one, other) => (one.key < other.key ? -1 : 1))
  return { ...linesOf(all, reused.length), isAnswer: all.some(({ key }) => nameOf(key) === answer) }
}

const hasError = (findings: readonly Finding[]) => findings.some(({ severity }) => severity === 'error')

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
