/** The objects that a snapshot of a database must hold, straight from SQL and the table of src/core/bucket/keys.md. */
import { structureNames } from '../../../src/extensions/conform/oracle/facts.ts'
import {
  type OracleFund,
  type OracleFunds,
  isTooYoung,
} from '../../../src/extensions/conform/oracle/funds.ts'

interface ExpectedObject {
  readonly key: string
  /** A request whose answer's body is this object; none for the window lists. */
  readonly target: string | undefined
}

/** Sorted by key, as the manifest is. */
export function expectedObjects(funds: OracleFunds, asOf: string): ExpectedObject[] {
  const objects = [
    ...priced('api/v1/prices-current-all/'),
    ...plain('api/v1/performance-years-all/'),
    ...inFormats('errors/index/', '400-noisin', 'api/v1/figures/'),
    ...inFormats('errors/prices/', '400-wrongdate', 'api/v1/prices-historic/x/'),
    ...funds.all().flatMap((fund) => fundObjects(funds, fund, asOf)),
  ]
  return objects.sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** One window for each calendar year with a price. */
export const expectedWindows = (funds: OracleFunds, isin: string) =>
  funds.select<{
    readonly year: number
    readonly first: string
    readonly last: string
    readonly records: number
  }>(
    `SELECT CAST(substr(date, 1, 4) AS INTEGER) AS year, min(date) AS first, max(date) AS last, count(*) AS records
     FROM price WHERE isin = ? GROUP BY 1 ORDER BY 1`,
    isin,
  )

function fundObjects(funds: OracleFunds, fund: OracleFund, asOf: string): ExpectedObject[] {
  const { isin } = fund
  const has = (table: string, condition = '1'): boolean =>
    funds.select(`SELECT 1 FROM ${table} WHERE isin = ? AND ${condition} LIMIT 1`, isin).length > 0
  const isPublic = fund.data_permitted === 1
  const hasPrices = isPublic && fund.prices_permitted === 1 && has('price')
  const mayPerform = isPublic && fund.performance_permitted === 1 && !isTooYoung(fund, asOf)
  const hasLegal = mayPerform && (has('legal_period') || has('legal_point'))
  const choose = (found: boolean, folder: string, objects: typeof plain) => {
    const path = `api/${folder}/${isin}/`
    return found ? objects(path) : inFormats(path, 'error', path)
  }
  const historic = `api/v1/prices-historic/${isin}/`

  return [
    ...choose(hasPrices, 'v1/prices-current', priced),
    ...(hasPrices ? windows(funds, isin) : inFormats(historic, 'error', `${historic}2024-01-01/2024-12-31/`)),
    ...choose(mayPerform && has('performance_year'), 'v1/performance-years', plain),
    ...choose(hasLegal, 'v1/performance-legal', plain),
    ...choose(mayPerform && has('launch_point'), 'v1/performance-launch', plain),
    ...[...structureNames.keys()].flatMap((type) => {
      const isFound = isPublic && has('structure_item', `type = '${type}'`)
      return choose(isFound, `v1/investment_structure-${type}`, translated)
    }),
    ...choose(isPublic, 'v1/figures', translated),
    ...choose(isPublic && has('profile'), 'v1/profile', translated),
    ...choose(isPublic, 'v2/asset-allocations/with-derivatives', translated),
    ...choose(isPublic, 'v2/asset-allocations/without-derivatives', translated),
    ...choose(isPublic && has('emt'), 'v2/emt', translated),
  ]
}

const plain = (folder: string) => inFormats(folder, 'index', folder)

/** The answers that are there as CSV, too. */
const priced = (folder: string) => [...plain(folder), inFormat('csv', folder, 'index', folder)]

const translated = (folder: string) =>
  ['de', 'en'].flatMap((language) => inFormats(folder, `index.${language}`, folder, `&language=${language}`))

function windows(funds: OracleFunds, isin: string): ExpectedObject[] {
  const folder = `api/v1/prices-historic/${isin}/`
  const years = expectedWindows(funds, isin).flatMap(({ year }) => {
    const path = `${folder}${year}-01-01/${year}-12-31/`
    return [...inFormats(folder, String(year), path), inFormat('csv', folder, String(year), path)]
  })
  return [{ key: `${folder}index.json`, target: undefined }, ...years]
}

const inFormats = (folder: string, name: string, path: string, more = ''): ExpectedObject[] =>
  ['json', 'xml'].map((format) => inFormat(format, folder, name, path, more))

const inFormat = (format: string, folder: string, name: string, path: string, more = '') => ({
  key: `${folder}${name}.${format}`,
  target: `/${path}?format=${format}${more}`,
})
