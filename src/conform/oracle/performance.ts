/** Endpoints 4, 5, 8 and 9: performance by calendar year, legal performance, and performance since launch. */
import { type Branch, fundsTree, mapTree, listTree, recordTree } from './document.ts'
import { type OracleFund, type OracleFunds, fundTree, isTooYoung } from './funds.ts'
import { type OracleProblem, problems } from './problems.ts'

interface PointRow {
  readonly date: string
  readonly value: number
}

interface PeriodRow {
  readonly label: string
  readonly date_from: string
  readonly date_realfrom: string
  readonly date_to: string
  readonly gross: number | null
  readonly net: number | null
}

export function performanceYears(funds: OracleFunds, asOf: string, isin: string): Branch | OracleProblem {
  const fund = funds.find(isin)
  if (fund === undefined || !mayShowPerformance(fund)) return problems.noYears(isin)
  if (isTooYoung(fund, asOf)) return problems.tooYoung(isin, 'performance-years')
  return yearsDocument(funds, fund) ?? problems.noYears(isin)
}

export function performanceYearsOfAll(funds: OracleFunds, asOf: string): Branch {
  const entries: [string, Branch][] = []
  for (const fund of funds.all()) {
    const shown = mayShowPerformance(fund) && !isTooYoung(fund, asOf)
    const document = shown ? yearsDocument(funds, fund) : undefined
    if (document !== undefined) entries.push([fund.isin, document])
  }
  return recordTree({ funds: fundsTree(entries) })
}

export function performanceLegal(funds: OracleFunds, asOf: string, isin: string): Branch | OracleProblem {
  const fund = funds.find(isin)
  if (fund === undefined || !mayShowPerformance(fund)) return problems.noLegal(isin)
  if (isTooYoung(fund, asOf)) return problems.tooYoung(isin, 'performance-legal')
  const periods = funds.select<PeriodRow>('SELECT * FROM legal_period WHERE isin = ? ORDER BY label', isin)
  const line = funds.select<PointRow>(
    'SELECT date, value FROM legal_point WHERE isin = ? ORDER BY date',
    isin,
  )
  if (periods.length === 0 && line.length === 0) return problems.noLegal(isin)
  return recordTree({
    fund: fundTree(fund, 'with status date'),
    performance: recordTree({
      periods: mapTree(periods.map((period) => [period.label, periodDocument(period)])),
      line: listTree(line.map(point)),
      bargross: mapTree(bars(periods, 'gross')),
      barnet: mapTree(bars(periods, 'net')),
    }),
  })
}

export function performanceLaunch(funds: OracleFunds, asOf: string, isin: string): Branch | OracleProblem {
  const fund = funds.find(isin)
  if (fund === undefined || !mayShowPerformance(fund)) return problems.noLaunch(isin)
  if (isTooYoung(fund, asOf)) return problems.tooYoung(isin, 'performance-launch')
  const line = funds.select<PointRow>(
    'SELECT date, value FROM launch_point WHERE isin = ? ORDER BY date',
    isin,
  )
  if (line.length === 0) return problems.noLaunch(isin)
  return recordTree({ fund: fundTree(fund, 'with status date'), performance: listTree(line.map(point)) })
}

function mayShowPerformance(fund: OracleFund): boolean {
  return fund.data_permitted === 1 && fund.performance_permitted === 1
}

function yearsDocument(funds: OracleFunds, fund: OracleFund): Branch | undefined {
  const rows = funds.select<{ year: number; percent: number }>(
    'SELECT year, percent FROM performance_year WHERE isin = ? ORDER BY year',
    fund.isin,
  )
  if (rows.length === 0) return undefined
  return recordTree({
    fund: fundTree(fund, 'with status date'),
    years: mapTree(rows.map(({ year, percent }) => [String(year), percent])),
  })
}

function periodDocument(period: PeriodRow): Branch {
  return recordTree({
    from: period.date_from,
    realfrom: period.date_realfrom,
    to: period.date_to,
    fromformatted: shortDate(period.date_from),
    toformatted: shortDate(period.date_to),
  })
}

function bars(periods: readonly PeriodRow[], which: 'gross' | 'net'): [string, number][] {
  return periods.flatMap((period): [string, number][] => {
    const value = period[which]
    return value === null ? [] : [[period.label, value]]
  })
}

/** x is in milliseconds since 1970-01-01T00:00Z. */
function point(row: PointRow): Branch {
  return recordTree({ x: Date.parse(`${row.date}T00:00:00Z`), y: row.value })
}

/** DD.MM.YY */
function shortDate(date: string): string {
  return `${date.slice(8, 10)}.${date.slice(5, 7)}.${date.slice(2, 4)}`
}
