/** The 13 endpoints, and the way from a target to an endpoint with its parameters. */

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

export interface OracleEndpoint {
  /** As in src/core/api/interface.md. */
  readonly path: string
  readonly answer: (question: Question) => Branch
  readonly table?: (question: Question) => Table
  readonly hasLanguages: boolean
}

const inOneLanguage = (
  path: string,
  answer: OracleEndpoint['answer'],
  table?: OracleEndpoint['table'],
): OracleEndpoint => ({ path, answer, hasLanguages: false, ...(table && { table }) })

const inBothLanguages = (path: string, answer: OracleEndpoint['answer']): OracleEndpoint => {
  return { path, answer, hasLanguages: true }
}

export const oracleEndpoints: readonly OracleEndpoint[] = [
  inOneLanguage('/api/v1/prices-current/{isin}/', currentPrices, currentPricesTable),
  inOneLanguage('/api/v1/prices-current-all/', currentPricesOfAll, currentPricesTableOfAll),
  inOneLanguage('/api/v1/prices-historic/{isin}/{datefrom}/{dateto}/', historicPrices, historicPricesTable),
  inOneLanguage('/api/v1/performance-years/{isin}/', performanceYears),
  inOneLanguage('/api/v1/performance-years-all/', performanceYearsOfAll),
  inBothLanguages('/api/v1/investment_structure-{type}/{isin}/', structureTree),
  inBothLanguages('/api/v1/figures/{isin}/', figuresTree),
  inOneLanguage('/api/v1/performance-legal/{isin}/', performanceLegal),
  inOneLanguage('/api/v1/performance-launch/{isin}/', performanceLaunch),
  inBothLanguages('/api/v1/profile/{isin}/', profileTree),
  inBothLanguages('/api/v2/asset-allocations/with-derivatives/{isin}/', allocationsTree(1)),
  inBothLanguages('/api/v2/asset-allocations/without-derivatives/{isin}/', allocationsTree(0)),
  inBothLanguages('/api/v2/emt/{isin}/', emtTree),
]

const segmentsOf = (path: string) => path.slice(1).replace(/\/$/, '').split('/')
const templates = oracleEndpoints.map((endpoint) => ({ endpoint, template: segmentsOf(endpoint.path) }))
const parameterOf = (segment: string) => /^\{(\w+)\}$/.exec(segment)?.[1]
const typeMark = '{type}'

/** @param path with or without its closing slash @returns `given`: parameters, right, wrong, or missing at the end */
export function findEndpoint(path: string) {
  if (!path.startsWith('/') || path.length > 900) return undefined
  if (path.split('/').some((segment) => segment.length > 255)) return undefined
  // A segment with an encoded slash is still one segment.
  const segments = segmentsOf(path).map(decodePercent)
  for (const { endpoint, template } of templates) {
    const given = new Map<string, string>()
    const isHere = template.every((expected, at) => {
      const segment = segments[at]
      const name = parameterOf(expected)
      if (name !== undefined) return given.set(name, segment ?? '')
      if (!expected.endsWith(typeMark)) return segment === expected
      const start = expected.slice(0, -typeMark.length)
      return segment?.startsWith(start) === true && given.set('type', segment.slice(start.length))
    })
    if (isHere && segments.length <= template.length) return { endpoint, given }
  }
  return undefined
}

/** The endpoint of a path, or of the beginning of one, has CSV. */
export const hasCsv = (path: string): boolean => findEndpoint(path)?.endpoint.table !== undefined

export interface Call extends OracleEndpoint, Pick<Question, 'isin' | 'type' | 'from' | 'to'> {
  /** The form before the change to upper case counts: the upper case of `ſ` is an S. */
  readonly hasForm: boolean
}

/** Undefined for a path of no endpoint, or without its slash. @throws {OracleProblem} for a missing or wrong parameter */
export function route(path: string): Call | undefined {
  const found = path.endsWith('/') ? findEndpoint(path) : undefined
  if (found === undefined) return undefined
  const { endpoint, given } = found
  const value = (name: string) => given.get(name) ?? ''
  const [type = '', isin = '', from = '', to = ''] = ['type', 'isin', 'datefrom', 'dateto'].map(value)
  if (given.has('type') && !structureNames.has(type)) throw problems.wrongType(type)
  if (given.has('isin') && isin === '') throw problems.noIsin()
  if (given.has('datefrom') && (!isDay(from) || !isDay(to) || from > to)) throw problems.wrongDate()
  const hasForm = /^[A-Za-z]{2}[A-Za-z0-9]{9}[0-9]$/.test(isin)
  return { ...endpoint, isin: isin.toUpperCase(), hasForm, type, from, to }
}

function isDay(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const last = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return last !== undefined && day >= 1 && day <= last
}

export function readTarget(target: string) {
  const [path = '', query = ''] = target.split(/\?([^]*)/)
  const pairs = query.split('&').map((pair) => pair.split(/=([^]*)/))
  return {
    path,
    /** With the question mark, unless nothing follows. */
    rawQuery: query === '' ? '' : `?${query}`,
    /** The first value of the parameter with exactly this name, decoded unless longer than 255 bytes. */
    parameter: (name: string): string | undefined => {
      const found = pairs.find(([given]) => given === name)
      if (found === undefined) return undefined
      const [, value = ''] = found
      return value.length > 255 ? value : decodePercent(value.replaceAll('+', ' '))
    },
  }
}

/** The text stays unchanged if an escape cannot be decoded. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
