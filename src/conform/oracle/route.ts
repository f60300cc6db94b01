/** From a target to one of the 13 endpoints and its parameters. Knows nothing of funds. */

import { structureNames } from './facts.ts'
import { type OracleProblem, problems } from './problems.ts'

/** The number is the row of the interface's endpoint list. */
export type EndpointNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13

export interface Call {
  readonly endpoint: EndpointNumber
  /** In upper case; empty on the all-funds endpoints. */
  readonly isin: string
  /** Whether the text had the form of an ISIN before it became upper case: the upper case of `ſ` is an S. */
  readonly hasForm: boolean
  /** Only endpoint 6; empty elsewhere. */
  readonly type: string
  /** Only endpoint 3; empty elsewhere. */
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
export function route(path: string): Call | OracleProblem | undefined {
  if (path.length > 900 || path.split('/').some((segment) => segment.length > 255)) return undefined
  if (!path.startsWith('/') || !path.endsWith('/')) return undefined
  const [root, ...segments] = path.slice(1, -1).split('/').map(decodePercent)
  if (root !== 'api') return undefined
  const [version, name = '', ...rest] = segments
  if (version === 'v1' && name === 'prices-historic') return rest.length <= 3 ? historic(rest) : undefined
  if (version === 'v1' && name.startsWith(structurePrefix)) {
    return rest.length <= 1 ? structure(name.slice(structurePrefix.length), rest[0]) : undefined
  }
  // A segment with an encoded slash is still one segment.
  const all = segments.length === 2 ? allFundsEndpoints.get(segments.join('/')) : undefined
  return all === undefined ? singleFund(segments) : call(all)
}

/** The other endpoints of one fund: their literal segments, then the ISIN or nothing. */
function singleFund(segments: readonly string[]): Call | OracleProblem | undefined {
  for (const [start, endpoint] of singleFundEndpoints) {
    const literals = start.split('/')
    const isHere = literals.every((literal, at) => segments[at] === literal)
    if (isHere && segments.length <= literals.length + 1)
      return single(endpoint, segments[literals.length], '')
  }
  return undefined
}

function structure(type: string, isin: string | undefined): Call | OracleProblem {
  return structureNames.has(type) ? single(6, isin, type) : problems.wrongType(type)
}

function single(endpoint: EndpointNumber, isin: string | undefined, type: string): Call | OracleProblem {
  if (isin === undefined || isin === '') return problems.noIsin()
  return { ...call(endpoint), ...shown(isin), type }
}

function historic([isin = '', from = '', to = '']: readonly string[]): Call | OracleProblem {
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

/** Whether a text is YYYY-MM-DD and a day of the Gregorian calendar. */
function isDay(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const last = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return last !== undefined && day >= 1 && day <= last
}

export interface Target {
  /** The part of the request line before the question mark. */
  readonly path: string
  /** With the question mark; empty if nothing follows it. */
  readonly rawQuery: string
  /** The first value of the parameter with exactly this name; decoded unless it is longer than 255 bytes. */
  readonly parameter: (name: string) => string | undefined
}

export function readTarget(target: string): Target {
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const rawQuery = mark < 0 || mark === target.length - 1 ? '' : target.slice(mark)
  const pairs = rawQuery
    .slice(1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
      return [name, value] as const
    })
  const parameter = (name: string): string | undefined => {
    const value = pairs.find(([given]) => given === name)?.[1]
    return value === undefined || value.length > 255 ? value : decodePercent(value.replaceAll('+', ' '))
  }
  return { path, rawQuery, parameter }
}

/** Decodes percent escapes. If one of them cannot be decoded, the text stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
