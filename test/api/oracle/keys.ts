/** The objects that a snapshot of a database must hold, straight from SQL and the table of src/bucket/keys.md. */
import { structureNames } from '../../../src/conform/oracle/facts.ts'
import { type OracleFund, type OracleFunds, isTooYoung } from '../../../src/conform/oracle/funds.ts'

export interface ExpectedObject {
  readonly key: string
  /** A request whose answer's body is this object; none for the window lists. */
  readonly target: string | undefined
}

export interface Window {
  readonly year: number
  readonly first: string
  readonly last: string
  readonly records: number
}

/** Sorted by key, as the manifest is. */
export function expectedObjects(funds: OracleFunds, asOf: string): ExpectedObject[] {
  const objects = [
    ...plain('api/v1/prices-current-all/'),
    ...plain('api/v1/performance-years-all/'),
    ...inFormats('errors/index/', '400-noisin', 'api/v1/figures/'),
    ...inFormats('errors/prices/', '400-wrongdate', 'api/v1/prices-historic/x/'),
    ...funds.all().flatMap((fund) => fundObjects(funds, fund, asOf)),
  ]
  return objects.sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** One window for each calendar year with a price. */
export function expectedWindows(funds: OracleFunds, isin: string): readonly Window[] {
  return funds.select<Window>(
    `SELECT CAST(substr(date, 1, 4) AS INTEGER) AS year, min(date) AS first, max(date) AS last, count(*) AS records
     FROM price WHERE isin = ? GROUP BY 1 ORDER BY 1`,
    isin,
  )
}

function fundObjects(funds: OracleFunds, fund: OracleFund, asOf: string): ExpectedObject[] {
  const { isin } = fund
  const has = (table: string, condition = '1'): boolean =>
    funds.select(`SELECT 1 FROM ${table} WHERE isin = ? AND ${condition} LIMIT 1`, isin).length > 0
  const isPublic = fund.data_permitted === 1
  const hasPrices = isPublic && fund.prices_permitted === 1 && has('price')
  const mayPerform = isPublic && fund.performance_permitted === 1 && !isTooYoung(fund, asOf)
  const hasLegal = mayPerform && (has('legal_period') || has('legal_point'))
  const choose = (found: boolean, folder: string, objects: typeof plain) =>
    found ? objects(folder) : refused(folder)
  const historic = `api/v1/prices-historic/${isin}/`

  return [
    ...choose(hasPrices, `api/v1/prices-current/${isin}/`, plain),
    ...(hasPrices ? windows(funds, isin) : refused(historic, `${historic}2024-01-01/2024-12-31/`)),
    ...choose(mayPerform && has('performance_year'), `api/v1/performance-years/${isin}/`, plain),
    ...choose(hasLegal, `api/v1/performance-legal/${isin}/`, plain),
    ...choose(mayPerform && has('launch_point'), `api/v1/performance-launch/${isin}/`, plain),
    ...[...structureNames.keys()].flatMap((type) =>
      choose(
        isPublic && has('structure_item', `type = '${type}'`),
        `api/v1/investment_structure-${type}/${isin}/`,
        translated,
      ),
    ),
    ...choose(isPublic, `api/v1/figures/${isin}/`, translated),
    ...choose(isPublic && has('profile'), `api/v1/profile/${isin}/`, translated),
    ...choose(isPublic, `api/v2/asset-allocations/with-derivatives/${isin}/`, translated),
    ...choose(isPublic, `api/v2/asset-allocations/without-derivatives/${isin}/`, translated),
    ...choose(isPublic && has('emt'), `api/v2/emt/${isin}/`, translated),
  ]
}

function plain(folder: string): ExpectedObject[] {
  return inFormats(folder, 'index', folder)
}

function translated(folder: string): ExpectedObject[] {
  return ['de', 'en'].flatMap((language) =>
    inFormats(folder, `index.${language}`, folder, `&language=${language}`),
  )
}

function refused(folder: string, target = folder): ExpectedObject[] {
  return inFormats(folder, 'error', target)
}

function windows(funds: OracleFunds, isin: string): ExpectedObject[] {
  const folder = `api/v1/prices-historic/${isin}/`
  const years = expectedWindows(funds, isin).flatMap(({ year }) =>
    inFormats(folder, String(year), `${folder}${year}-01-01/${year}-12-31/`),
  )
  return [{ key: `${folder}index.json`, target: undefined }, ...years]
}

function inFormats(folder: string, name: string, path: string, more = ''): ExpectedObject[] {
  return ['json', 'xml'].map((format) => ({
    key: `${folder}${name}.${format}`,
    target: `/${path}?format=${format}${more}`,
  }))
}
