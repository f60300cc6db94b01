/** The error table of src/api/interface.md (Errors) with its texts, and the body of an error document. */
import { type Branch, recordTree } from './document.ts'

export interface OracleProblem {
  readonly status: number
  readonly group: string
  readonly slug: string
  readonly title: string
}

function problem(status: number, group: string, slug: string, title: string): OracleProblem {
  return { status, group, slug, title }
}

export const problems = {
  wrongMethod: (method: string) => problem(405, 'index', 'wrongmethod', `Method not allowed: ${method}`),
  noEndpoint: (path: string) => problem(404, 'index', 'noendpoint', `There is no such endpoint: ${path}`),
  noIsin: () => problem(400, 'index', 'noisin', 'No ISIN provided'),
  wrongFormat: (value: string) => problem(400, 'index', 'wrongformat', `Unsupported format: ${value}`),
  wrongLanguage: (value: string) => problem(400, 'index', 'wronglanguage', `Unsupported language: ${value}`),
  wrongDate: () => problem(400, 'prices', 'wrongdate', 'Wrong or missing date parameters'),
  wrongType: (type: string) =>
    problem(416, 'investment_structure', 'wrongtype', `There is no investment structure type: ${type}`),

  pricesDenied: (isin: string) =>
    problem(403, 'prices', 'noapidataforfund', `Not permitted to get data for the fund with ISIN: ${isin}`),
  noPrices: (isin: string, which: 'current' | 'historic') =>
    problem(404, 'prices', 'notfound', `No ${which} prices for the fund with ISIN: ${isin}`),
  noYears: (isin: string) =>
    problem(404, 'performance-years', 'nodata', `No performance data (years) for the fund: ${isin}`),
  noStructure: (isin: string, type: string) =>
    problem(
      404,
      'investment_structure',
      'nodata',
      `No investment structure data found for this fund and type: ${isin}, ${type}`,
    ),
  noLegal: (isin: string) =>
    problem(404, 'performance-legal', 'nodata', `No performance data (legal) found for this fund: ${isin}`),
  noLaunch: (isin: string) =>
    problem(404, 'performance-launch', 'nodata', `No performance data (full) found for this fund: ${isin}`),
  tooYoung: (isin: string, group: string) =>
    problem(
      403,
      group,
      'noapidataforfund',
      `Not permitted to get performance data for the fund with ISIN: ${isin}, because the fund is not yet one year old`,
    ),

  unknownFund: (isin: string, group: string) =>
    problem(404, group, 'notfound', `There is no fund with this ISIN: ${isin}`),
  fundDenied: (isin: string, group: string) =>
    problem(
      403,
      group,
      'noapidataforfund',
      `It is not permitted to get data for the fund with ISIN: ${isin}`,
    ),
  noRow: (isin: string, group: string) =>
    problem(404, group, 'nodata', `No data found for the fund with ISIN: ${isin}`),
}

export function problemBody(found: OracleProblem, docsUrl: string): Branch {
  const { status, group, slug, title } = found
  return recordTree({ title, type: `${docsUrl}/v1/endpoints/${group}/#error-${status}-${slug}`, status })
}
