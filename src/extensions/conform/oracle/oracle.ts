/**
 * A second implementation of the whole interface, small and slow, straight from SQL. Gives the expected answers. Shares no
 * code with the product, so that a wrong declaration there cannot agree with itself.
 */
import { toCsv, toJson, toXml, withXmlCharacters } from './document.ts'
import { type OracleFunds, openOracleFunds } from './funds.ts'
import { acceptedFormat, acceptedLanguage, isBrowser, type OracleFormat } from './negotiate.ts'
import { OracleProblem, problems } from './problems.ts'
import { type Call, decodePercent, findEndpoint, hasCsv, readTarget, route } from './route.ts'

export interface OracleRequest {
  /** Default: GET. */
  readonly method?: string
  readonly target: string
  readonly accept?: string | undefined
  readonly acceptLanguage?: string | undefined
}

export interface OracleAnswer {
  readonly status: number
  /** Headers that the interface decides, in lower case. Names in `vary` are in lower case, too, and sorted. */
  readonly headers: Readonly<Record<string, string>>
  /** Empty for HEAD, OPTIONS and redirects. */
  readonly body: string
  /** The answer to a browser, if the snapshot has the page. */
  readonly page?: Pick<OracleAnswer, 'status' | 'headers'> | undefined
}

export type Oracle = ReturnType<typeof openOracle>

interface OracleSettings {
  readonly db: string
  /** YYYY-MM-DD */
  readonly asOf: string
  readonly docsUrl: string
}

export function openOracle(settings: OracleSettings) {
  const funds = openOracleFunds(settings.db)
  const daysOf = 'SELECT min(date) AS first, max(date) AS last FROM price WHERE isin = ? HAVING count(*) > 0'
  return {
    answer: (request: OracleRequest): OracleAnswer => {
      const answer = answerWithBody(funds, settings, request)
      return request.method === 'HEAD' ? { ...answer, body: '' } : answer
    },
    isins: (): readonly string[] => funds.all().map((fund) => fund.isin),
    /** The first and last day of a fund's prices, also of prices that are not given out. */
    priceDays: (isin: string) => funds.select<{ first: string; last: string }>(daysOf, isin)[0],
    close: funds.close,
  }
}

function answerWithBody(funds: OracleFunds, settings: OracleSettings, request: OracleRequest): OracleAnswer {
  const { method = 'GET', target, accept } = request
  const { path, rawQuery, parameter } = readTarget(target)
  const given = formatOf(path, parameter('format'))
  const format = given ?? acceptedFormat(accept, hasCsv(path))
  const vary = given === undefined ? ['accept'] : []
  if (method === 'OPTIONS') return { status: 204, headers: {}, body: '' }
  const moved = ['GET', 'HEAD'].includes(method) ? movedTo(path, funds) : undefined
  if (moved !== undefined) {
    const query = moved.includes('?') ? rawQuery.replace('?', '&') : rawQuery
    return { status: 308, headers: { location: `${moved}${query}` }, body: '' }
  }
  const answer = (
    status: number,
    body: string,
    type: string,
    own: OracleAnswer['headers'],
    varyToo: readonly string[],
  ) => {
    const names = [...vary, ...varyToo].join(', ')
    const headers = { 'content-type': `${type}; charset=utf-8`, ...own }
    return { status, headers: names === '' ? headers : { ...headers, vary: names }, body }
  }
  try {
    const { body, headers, varyToo } = findBody(funds, settings, request, format)
    return answer(200, body, `${format === 'csv' ? 'text' : 'application'}/${format}`, headers, varyToo)
  } catch (error) {
    if (!(error instanceof OracleProblem)) throw error
    const [status, group, slug] = error.place
    const title = format === 'xml' ? withXmlCharacters(error.message) : error.message
    const type = `${settings.docsUrl}/v1/endpoints/${group}/#error-${status}-${slug}`
    // A refusal is English, so it does not depend on the language.
    const headers = { 'content-language': 'en', ...(status === 405 && { allow: 'GET, HEAD, OPTIONS' }) }
    const refusal = { title, type, status }
    const document =
      format === 'xml'
        ? answer(status, toXml(refusal), 'application/xml', headers, [])
        : answer(status, toJson(refusal), 'application/json', headers, [])
    const page = slug === 'noendpoint' ? pageInstead(request) : undefined
    return page === undefined ? document : { ...document, page }
  }
}

/** The start page, for every client, or the 404 page, for browsers only. */
function pageInstead({ target, accept, acceptLanguage }: OracleRequest): OracleAnswer['page'] {
  const { path, parameter } = readTarget(target)
  const isStart = path === '/'
  if (!isStart && (formatOf('', parameter('format')) !== undefined || !isBrowser(accept))) return undefined
  const asked = parameter('language')
  const isAsked = asked === 'de' || asked === 'en'
  const vary = [...(isStart ? [] : ['accept']), ...(isAsked ? [] : ['accept-language'])].join(', ')
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-language': isAsked ? asked : acceptedLanguage(acceptLanguage),
    vary,
  }
  return { status: isStart ? 200 : 404, headers }
}

const redirects: Readonly<Record<string, string>> = {
  '/docs/v1/': '/docs/',
  '/docs/v1/endpoints/': '/docs/',
  '/downloads/': '/downloads/latest/',
  '/downloads/index.json': '/changes/downloads.json',
  '/favicon.ico': '/docs/assets/icon.svg',
  '/apple-touch-icon.png': '/docs/assets/icon.png',
}

/** The redirect from a wrong address: without its closing slash, or with an ISIN in lower case. */
function movedTo(path: string, funds: OracleFunds): string | undefined {
  if (!path.endsWith('/') && findEndpoint(path) !== undefined) return `${path}/`
  const [, area, isin = '', ...rest] = path.split('/')
  const upper = isin.toUpperCase()
  const isPlain = rest.every(
    (name, at) => /^[\w-][\w.-]*$/.test(name) || (name === '' && at === rest.length - 1),
  )
  if (area === 'funds' && isPlain && isin !== upper && funds.find(upper) !== undefined)
    return ['', area, upper, ...rest].join('/')
  return Object.hasOwn(redirects, path) ? redirects[path] : listOfWkn(path)
}

function listOfWkn(path: string): string | undefined {
  const [, area, wkn = ''] = path.split('/')
  const isWhole = area === 'wkn' && /^[A-Z\d]{6}$/i.test(wkn) && ['', '/'].includes(path.slice(11))
  return isWhole ? `/funds/?q=${wkn}` : undefined
}

function findBody(
  funds: OracleFunds,
  { asOf }: OracleSettings,
  { method = 'GET', target, acceptLanguage }: OracleRequest,
  wanted: OracleFormat,
): { body: string; headers: OracleAnswer['headers']; varyToo: string[] } {
  if (method !== 'GET' && method !== 'HEAD') throw problems.wrongMethod(method)
  const { path, parameter } = readTarget(target)
  const call = route(path)
  if (call === undefined) throw problems.noEndpoint(decodePercent(path))
  const format = parameter('format')
  if (format !== undefined && formatOf(path, format) === undefined) throw problems.wrongFormat(format)
  const asked = call.hasLanguages ? parameter('language') : 'de'
  if (asked !== undefined && asked !== 'de' && asked !== 'en') throw problems.wrongLanguage(asked)
  const language = asked ?? acceptedLanguage(acceptLanguage)
  const fund = call.hasForm ? funds.find(call.isin) : undefined
  const question = { ...call, funds, asOf, fund, language }
  const inFormat = {
    json: () => toJson(call.answer(question)),
    xml: () => toXml(call.answer(question)),
    csv: () => toCsv(call.table?.(question) ?? []),
  }
  const headers = { ...(call.hasLanguages && { 'content-language': language }), ...fileHeaders(call, wanted) }
  return { body: inFormat[wanted](), headers, varyToo: asked === undefined ? ['accept-language'] : [] }
}

/** Only the CSV of a date range has a file name. */
const fileHeaders = ({ from, isin }: Call, wanted: OracleFormat): OracleAnswer['headers'] =>
  from !== '' && wanted === 'csv'
    ? { 'content-disposition': `inline; filename="${isin}-prices-historic.csv"` }
    : {}

const formatOf = (path: string, text: string | undefined) =>
  text === 'json' || text === 'xml' || (text === 'csv' && hasCsv(path)) ? text : undefined
