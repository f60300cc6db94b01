/** From a target to one of the 13 endpoints and its parameters. */

import type { Branch, Table } from './document.ts'
import { allocationsTree, emtTree, figuresTree, profileTree, structureNames, structureTree } from './facts.ts'
import type { Question } from './funds.ts'
import {
  performanceLaunch,
  performanceLegal,
  performanceYears,
  performanceYearsOfAll,
} from './performance.ts'
import {
  currentPrices,
  currentPricesOfAll,
  currentPricesTable,
  currentPricesTableOfAll,
  historicPrices,
  historicPricesTable,
} from './prices.ts'
import { problems } from './problems.ts'

/** The answers that are there as CSV. */
const tables = new Map<Call['answer'], (question: Question) => Table>([
  [currentPrices, currentPricesTable],
  [currentPricesOfAll, currentPricesTableOfAll],
  [historicPrices, historicPricesTable],
])

/** Whether a path is that of an endpoint with CSV, or the beginning of one: its parameters may be wrong, or missing. */
export function hasCsv(path: string): boolean {
  const [root, version, name = '', ...rest] = path
    .replace(/^\//, '')
    .replace(/\/$/, '')
    .split('/')
    .map(decodePercent)
  const most = { 'prices-current': 1, 'prices-current-all': 0, 'prices-historic': 3 }[name]
  return (
    isShort(path) && path.startsWith('/') && root === 'api' && version === 'v1' && rest.length <= (most ?? -1)
  )
}

const isShort = (path: string) =>
  path.length <= 900 && path.split('/').every((segment) => segment.length <= 255)

export interface Call extends Pick<Question, 'isin' | 'type' | 'from' | 'to'> {
  readonly answer: (question: Question) => Branch
  /** The answer as CSV, if there is one. */
  readonly table: ((question: Question) => Table) | undefined
  readonly hasLanguages: boolean
  /** Whether the text had the form of an ISIN before it became upper case: the upper case of `ſ` is an S. */
  readonly hasForm: boolean
}

const structurePrefix = 'investment_structure-'

const allFundsEndpoints = new Map([
  ['v1/prices-current-all', currentPricesOfAll],
  ['v1/performance-years-all', performanceYearsOfAll],
])

/** After the path comes the ISIN. */
const singleFundEndpoints: readonly (readonly [path: string, Call['answer'], hasLanguages: boolean])[] = [
  ['v1/prices-current', currentPrices, false],
  ['v1/performance-years', performanceYears, false],
  ['v1/performance-legal', performanceLegal, false],
  ['v1/performance-launch', performanceLaunch, false],
  ['v1/figures', figuresTree, true],
  ['v1/profile', profileTree, true],
  ['v2/asset-allocations/with-derivatives', allocationsTree(1), true],
  ['v2/asset-allocations/without-derivatives', allocationsTree(0), true],
  ['v2/emt', emtTree, true],
]

/**
 * @returns undefined for a path that belongs to no endpoint; a path must end with its slash here
 * @throws {OracleProblem} if the path lacks a parameter, or has a wrong one
 */
export function route(path: string): Call | undefined {
  if (!isShort(path)) return undefined
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
  return all === undefined ? singleFund(segments) : callOf(all, false, '')
}

function singleFund(segments: readonly string[]): Call | undefined {
  for (const [start, answer, hasLanguages] of singleFundEndpoints) {
    const literals = start.split('/')
    const isHere = literals.every((literal, at) => segments[at] === literal)
    if (isHere && segments.length <= literals.length + 1)
      return callOf(answer, hasLanguages, given(segments[literals.length]))
  }
  return undefined
}

function structure(type: string, isin: string | undefined): Call {
  if (!structureNames.has(type)) throw problems.wrongType(type)
  return { ...callOf(structureTree, true, given(isin)), type }
}

function historic([isin, from = '', to = '']: readonly string[]): Call {
  const call = callOf(historicPrices, false, given(isin))
  if (!isDay(from) || !isDay(to) || from > to) throw problems.wrongDate()
  return { ...call, from, to }
}

function given(isin: string | undefined): string {
  if (isin === undefined || isin === '') throw problems.noIsin()
  return isin
}

function callOf(answer: Call['answer'], hasLanguages: boolean, isin: string): Call {
  const hasForm = /^[A-Za-z]{2}[A-Za-z0-9]{9}[0-9]$/.test(isin)
  const table = tables.get(answer)
  return { answer, table, hasLanguages, isin: isin.toUpperCase(), hasForm, type: '', from: '', to: '' }
}

/** Whether a text is YYYY-MM-DD and a day of the Gregorian calendar. */
function isDay(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const last = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return last !== undefined && day >= 1 && day <= last
}

/** Splits a target at its question mark. */
export function readTarget(target: string) {
  const [path = '', query = ''] = target.split(/\?([^]*)/)
  const pairs = query.split('&').map((pair) => pair.split(/=([^]*)/))
  return {
    path,
    /** With the question mark; empty if nothing follows it. */
    rawQuery: query === '' ? '' : `?${query}`,
    /** The first value of the parameter with exactly this name; decoded unless it is longer than 255 bytes. */
    parameter: (name: string): string | undefined => {
      const found = pairs.find(([given]) => given === name)
      if (found === undefined) return undefined
      const [, value = ''] = found
      return value.length > 255 ? value : decodePercent(value.replaceAll('+', ' '))
    },
  }
}

/** Decodes percent escapes. If one of them cannot be decoded, the text stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
