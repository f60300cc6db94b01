/** The error table of src/core/api/interface.md (Errors) with its texts. */

/** A refusal. The message is the title. */
export class OracleProblem extends Error {
  readonly place: readonly [status: number, group: string, slug: string]
  constructor(place: OracleProblem['place'], title: string) {
    super(title)
    this.place = place
  }
}

const problem = (status: number, group: string, slug: string, title: string): OracleProblem =>
  new OracleProblem([status, group, slug], title)

const denied = (group: string, title: string) => problem(403, group, 'noapidataforfund', title)

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
    denied('prices', `Not permitted to get data for the fund with ISIN: ${isin}`),
  noPrices: (isin: string, which: 'current' | 'historic') =>
    problem(404, 'prices', 'notfound', `No ${which} prices for the fund with ISIN: ${isin}`),
  noYears: (isin: string) =>
    problem(404, 'performance-years', 'nodata', `No performance data (years) for the fund: ${isin}`),
  noStructure: (isin: string, type: string) => {
    const title = `No investment structure data found for this fund and type: ${isin}, ${type}`
    return problem(404, 'investment_structure', 'nodata', title)
  },
  noLegal: (isin: string) =>
    problem(404, 'performance-legal', 'nodata', `No performance data (legal) found for this fund: ${isin}`),
  noLaunch: (isin: string) =>
    problem(404, 'performance-launch', 'nodata', `No performance data (full) found for this fund: ${isin}`),
  tooYoung: (isin: string, group: string) => {
    const title = `Not permitted to get performance data for the fund with ISIN: ${isin}`
    return denied(group, `${title}, because the fund is not yet one year old`)
  },

  unknownFund: (isin: string, group: string) =>
    problem(404, group, 'notfound', `There is no fund with this ISIN: ${isin}`),
  fundDenied: (isin: string, group: string) =>
    denied(group, `It is not permitted to get data for the fund with ISIN: ${isin}`),
  noRow: (isin: string, group: string) =>
    problem(404, group, 'nodata', `No data found for the fund with ISIN: ${isin}`),
}
