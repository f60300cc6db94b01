/** Which of the 13 endpoints a path means, and what stands at its parameters. Funds and queries come later. */
import { structureTypes } from './facts.ts'
import { problems, type Problem } from './problems.ts'
import { decodePercent } from './target.ts'

/** The number is the row of the interface's endpoint list. */
export type EndpointNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13

export interface Call {
  readonly endpoint: EndpointNumber
  /** Upper case, as it is shown; empty on the all-funds endpoints. */
  readonly isin: string
  /** Whether it had an ISIN's form before that: the upper case of `ſ` is an S, yet no ISIN holds one. */
  readonly hasForm: boolean
  /** Of endpoint 6; empty elsewhere. */
  readonly type: string
  /** Of endpoint 3; empty elsewhere. */
  readonly from: string
  readonly to: string
}

export const endpointsWithLanguages: readonly EndpointNumber[] = [6, 7, 10, 11, 12, 13]

const structurePrefix = 'investment_structure-'

const allFundsEndpoints = new Map<string, EndpointNumber>([
  ['v1/prices-current-all', 2],
  ['v1/performance-years-all', 5],
])

const singleFundEndpoints = new Map<string, EndpointNumber>([
  ['v1/prices-current', 1],
  ['v1/performance-years', 4],
  ['v1/figures', 7],
  ['v1/performance-legal', 8],
  ['v1/performance-launch', 9],
  ['v1/profile', 10],
  ['v2/asset-allocations/with-derivatives', 11],
  ['v2/asset-allocations/without-derivatives', 12],
  ['v2/emt', 13],
])

/** `undefined` for a path that belongs to no endpoint; a path must end with its slash here. */
export function route(path: string): Call | Problem | undefined {
  if (path.length > 900 || path.split('/').some((segment) => segment.length > 255)) return undefined
  if (!path.startsWith('/') || !path.endsWith('/')) return undefined
  const [root, ...segments] = path.slice(1, -1).split('/').map(decodePercent)
  if (root !== 'api') return undefined
  const [version, name = '', ...rest] = segments
  if (version === 'v1' && name === 'prices-historic') return rest.length <= 3 ? historic(rest) : undefined
  if (version === 'v1' && name.startsWith(structurePrefix)) {
    return rest.length <= 1 ? structure(name.slice(structurePrefix.length), rest[0]) : undefined
  }
  // A segment that holds an encoded slash is one segment all the same.
  const all = segments.length === 2 ? allFundsEndpoints.get(segments.join('/')) : undefined
  return all === undefined ? singleFund(segments) : call(all)
}

/** The other endpoints of one fund: their literal segments, then the ISIN or nothing. */
function singleFund(segments: readonly string[]): Call | Problem | undefined {
  for (const [start, endpoint] of singleFundEndpoints) {
    const literals = start.split('/')
    const isHere = literals.every((literal, at) => segments[at] === literal)
    if (isHere && segments.length <= literals.length + 1)
      return single(endpoint, segments[literals.length], '')
  }
  return undefined
}

function structure(type: string, isin: string | undefined): Call | Problem {
  return structureTypes.has(type) ? single(6, isin, type) : problems.wrongType(type)
}

function single(endpoint: EndpointNumber, isin: string | undefined, type: string): Call | Problem {
  if (isin === undefined || isin === '') return problems.noIsin()
  return { ...call(endpoint), ...shown(isin), type }
}

function historic([isin = '', from = '', to = '']: readonly string[]): Call | Problem {
  if (isin === '') return problems.noIsin()
  if (!isDay(from) || !isDay(to) || from > to) return problems.wrongDate()
  return { ...call(3), ...shown(isin), from, to }
}

function shown(isin: string): { isin: string; hasForm: boolean } {
  return { isin: isin.toUpperCase(), hasForm: /^[A-Za-z]{2}[A-Za-z0-9]{9}[0-9]$/.test(isin) }
}

function call(endpoint: EndpointNumber): Call {
  return { endpoint, isin: '', hasForm: false, type: '', from: '', to: '' }
}

/** YYYY-MM-DD, and a day that the Gregorian calendar has. */
function isDay(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const last = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return last !== undefined && day >= 1 && day <= last
}
