/**
 * A second implementation of the whole interface, small and slow, straight from SQL. It gives the expected answers. It
 * shares no code with the product, so that a wrong declaration there cannot agree with itself.
 */
import { type Branch, toJson, toXml, withXmlCharacters } from './document.ts'
import { allocationsTree, emtTree, figuresTree, profileTree, structureTree } from './facts.ts'
import { type OracleFunds, openOracleFunds } from './funds.ts'
import { type OracleFormat, type OracleLanguage, acceptedFormat, acceptedLanguage } from './negotiate.ts'
import {
  performanceLaunch,
  performanceLegal,
  performanceYears,
  performanceYearsOfAll,
} from './performance.ts'
import { currentPrices, currentPricesOfAll, historicPrices } from './prices.ts'
import { type OracleProblem, problemBody, problems } from './problems.ts'
import { type Call, decodePercent, endpointsWithLanguages, readTarget, route } from './route.ts'

export interface OracleRequest {
  /** GET unless given. */
  readonly method?: string
  /** Path and query as they stand on the request line. */
  readonly target: string
  readonly accept?: string | undefined
  readonly acceptLanguage?: string | undefined
}

export interface OracleAnswer {
  readonly status: number
  /**
   * content-type, content-language, location, allow, and vary, where the interface has them: names in lower case, and
   * those that vary names as well, sorted.
   */
  readonly headers: Readonly<Record<string, string>>
  /** Empty for HEAD, OPTIONS and redirects. */
  readonly body: string
}

export interface Oracle {
  readonly answer: (request: OracleRequest) => OracleAnswer
  readonly isins: () => readonly string[]
  /** The first and last day of a fund's prices, whether they are given out or not. */
  readonly priceDays: (isin: string) => { readonly first: string; readonly last: string } | undefined
  readonly close: () => void
}

export interface OracleSettings {
  /** Path of the fund database. */
  readonly db: string
  /** YYYY-MM-DD */
  readonly asOf: string
  readonly docsUrl: string
}

export function openOracle(settings: OracleSettings): Oracle {
  const funds = openOracleFunds(settings.db)
  return {
    answer: (request) => {
      const answer = answerWithBody(funds, settings, request)
      return request.method === 'HEAD' ? { ...answer, body: '' } : answer
    },
    isins: () => funds.all().map((fund) => fund.isin),
    priceDays: (isin) =>
      funds.select<{ first: string; last: string }>(
        'SELECT min(date) AS first, max(date) AS last FROM price WHERE isin = ? HAVING count(*) > 0',
        isin,
      )[0],
    close: funds.close,
  }
}

function answerWithBody(
  funds: OracleFunds,
  { asOf, docsUrl }: OracleSettings,
  request: OracleRequest,
): OracleAnswer {
  const { method = 'GET' } = request
  const { path, rawQuery, parameter } = readTarget(request.target)
  const askedFormat = parameter('format')
  const format = isFormat(askedFormat) ? askedFormat : acceptedFormat(request.accept)
  const formatVary = isFormat(askedFormat) ? [] : ['accept']
  const refuse = (problem: OracleProblem): OracleAnswer =>
    withVary(refusal(problem, format, docsUrl), formatVary)

  if (method === 'OPTIONS') return { status: 204, headers: {}, body: '' }
  if (method !== 'GET' && method !== 'HEAD') return refuse(problems.wrongMethod(method))

  if (!path.endsWith('/') && route(`${path}/`) !== undefined) {
    return { status: 308, headers: { location: `${path}/${rawQuery}` }, body: '' }
  }
  const call = route(path)
  if (call === undefined) return refuse(problems.noEndpoint(decodePercent(path)))
  if ('slug' in call) return refuse(call)
  if (askedFormat !== undefined && !isFormat(askedFormat)) return refuse(problems.wrongFormat(askedFormat))
  const spoken = spokenLanguage(call, parameter('language'), request.acceptLanguage)
  if ('slug' in spoken) return refuse(spoken)

  const document = answerCall(funds, asOf, call, spoken.language)
  if ('slug' in document) return refuse(document)
  const headers = { 'content-type': contentTypes[format], ...spoken.headers }
  const found = { status: 200, headers, body: encode(document, format) }
  return withVary(found, [...formatVary, ...spoken.vary])
}

interface Spoken {
  readonly language: OracleLanguage
  readonly headers: Readonly<Record<string, string>>
  readonly vary: readonly string[]
}

function spokenLanguage(
  call: Call,
  asked: string | undefined,
  header: string | undefined,
): Spoken | OracleProblem {
  if (!endpointsWithLanguages.includes(call.endpoint)) return { language: 'de', headers: {}, vary: [] }
  if (asked !== undefined && !isLanguage(asked)) return problems.wrongLanguage(asked)
  const language = asked ?? acceptedLanguage(header)
  return {
    language,
    headers: { 'content-language': language },
    vary: asked === undefined ? ['accept-language'] : [],
  }
}

/** Adds `Vary`. Refusals do not depend on the language: they are English. */
function withVary(answer: OracleAnswer, names: readonly string[]): OracleAnswer {
  if (names.length === 0) return answer
  return { ...answer, headers: { ...answer.headers, vary: names.join(', ') } }
}

function answerCall(
  all: OracleFunds,
  asOf: string,
  call: Call,
  language: OracleLanguage,
): Branch | OracleProblem {
  const { endpoint, isin } = call
  const funds = call.hasForm ? all : { ...all, find: () => undefined }
  switch (endpoint) {
    case 1:
      return currentPrices(funds, isin)
    case 2:
      return currentPricesOfAll(funds)
    case 3:
      return historicPrices(funds, isin, call.from, call.to)
    case 4:
      return performanceYears(funds, asOf, isin)
    case 5:
      return performanceYearsOfAll(funds, asOf)
    case 6:
      return structureTree(funds, isin, call.type, language)
    case 7:
      return figuresTree(funds, isin, language)
    case 8:
      return performanceLegal(funds, asOf, isin)
    case 9:
      return performanceLaunch(funds, asOf, isin)
    case 10:
      return profileTree(funds, isin, language)
    case 11:
      return allocationsTree(funds, isin, 1, language)
    case 12:
      return allocationsTree(funds, isin, 0, language)
    case 13:
      return emtTree(funds, isin)
    default:
      return endpoint satisfies never
  }
}

const contentTypes = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
} as const

function refusal(problem: OracleProblem, format: OracleFormat, docsUrl: string): OracleAnswer {
  const body = problemBody(problem, docsUrl)
  const headers = { 'content-type': contentTypes[format], 'content-language': 'en' }
  return {
    status: problem.status,
    headers: problem.status === 405 ? { ...headers, allow: 'GET, HEAD, OPTIONS' } : headers,
    body: encode(format === 'xml' ? withXmlCharacters(body) : body, format),
  }
}

function encode(document: Branch, format: OracleFormat): string {
  return format === 'json' ? toJson(document) : toXml(document)
}

function isFormat(value: string | undefined): value is OracleFormat {
  return value === 'json' || value === 'xml'
}

function isLanguage(value: string): value is OracleLanguage {
  return value === 'de' || value === 'en'
}
