/** Endpoints 4, 5, 8 and 9: performance by calendar year, legal performance, and performance since launch. */
import type { Branch } from './document.ts'
import { type OracleFund, type OracleFunds, type Question, fundTree, isTooYoung } from './funds.ts'
import { type OracleProblem, problems } from './problems.ts'

type PeriodRow = Readonly<
  Record<'label' | 'date_from' | 'date_realfrom' | 'date_to', string> & Record<'gross' | 'net', number | null>
>

export function performanceYears(question: Question): Branch {
  const missing = problems.noYears(question.isin)
  const document = yearsDocument(question.funds, shownFund(question, 'performance-years', missing))
  if (document === undefined) throw missing
  return document
}

export function performanceYearsOfAll({ funds, asOf }: Question): Branch {
  const shown = funds.all().filter((fund) => mayShowPerformance(fund) && !isTooYoung(fund, asOf))
  return { funds: Object.fromEntries(shown.map((fund) => [fund.isin, yearsDocument(funds, fund)])) }
}

export function performanceLegal(question: Question): Branch {
  const { funds, isin } = question
  const missing = problems.noLegal(isin)
  const fund = fundTree(shownFund(question, 'performance-legal', missing), 'with status date')
  const periods = funds.select<PeriodRow>('SELECT * FROM legal_period WHERE isin = ? ORDER BY label', isin)
  const line = pointsOf(funds, 'legal_point', isin)
  if (periods.length === 0 && line.length === 0) throw missing
  const bars = (which: 'gross' | 'net') =>
    new Map(periods.flatMap(({ label, [which]: value }) => (value === null ? [] : [[label, value] as const])))
  const dates = new Map(periods.map((period) => [period.label, periodTree(period)]))
  return { fund, performance: { periods: dates, line, bargross: bars('gross'), barnet: bars('net') } }
}

export function performanceLaunch(question: Question): Branch {
  const { funds, isin } = question
  const missing = problems.noLaunch(isin)
  const fund = fundTree(shownFund(question, 'performance-launch', missing), 'with status date')
  const performance = pointsOf(funds, 'launch_point', isin)
  if (performance.length === 0) throw missing
  return { fund, performance }
}

/** @param missing thrown if the fund does not exist, or shows no performance at all */
function shownFund({ fund, asOf, isin }: Question, group: string, missing: OracleProblem): OracleFund {
  if (fund === undefined || !mayShowPerformance(fund)) throw missing
  if (isTooYoung(fund, asOf)) throw problems.tooYoung(isin, group)
  return fund
}

const mayShowPerformance = (fund: OracleFund): boolean =>
  fund.data_permitted === 1 && fund.performance_permitted === 1

function yearsDocument(funds: OracleFunds, fund: OracleFund): Branch | undefined {
  const sql = 'SELECT year, percent FROM performance_year WHERE isin = ? ORDER BY year'
  const rows = funds.select<{ year: number; percent: number }>(sql, fund.isin)
  if (rows.length === 0) return undefined
  const years = new Map(rows.map(({ year, percent }) => [String(year), percent]))
  return { fund: fundTree(fund, 'with status date'), years }
}

function periodTree({ date_from: from, date_realfrom: realfrom, date_to: to }: PeriodRow): Branch {
  return { from, realfrom, to, fromformatted: shortDate(from), toformatted: shortDate(to) }
}

/** x is in milliseconds since 1970-01-01T00:00Z. */
function pointsOf(funds: OracleFunds, table: 'legal_point' | 'launch_point', isin: string): Branch[] {
  const sql = `SELECT date, value FROM ${table} WHERE isin = ? ORDER BY date`
  const rows = funds.select<{ date: string; value: number }>(sql, isin)
  return rows.map(({ date, value }) => ({ x: Date.parse(`${date}T00:00:00Z`), y: value }))
}

/** DD.MM.YY */
const shortDate = (date: string): string => `${date.slice(8, 10)}.${date.slice(5, 7)}.${date.slice(2, 4)}`
