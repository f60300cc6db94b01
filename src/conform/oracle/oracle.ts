/**
 * A second implementation of the whole interface, small and slow, straight from SQL. It gives the expected answers. It
 * shares no code with the product, so that a wrong declaration there cannot agree with itself.
 */
import { type Branch, toJson, toXml, withXmlCharacters } from './document.ts'
import { type OracleFunds, openOracleFunds } from './funds.ts'
import { acceptedFormat, acceptedLanguage } from './negotiate.ts'
import { OracleProblem, problems } from './problems.ts'
import { decodePercent, readTarget, route } from './route.ts'

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
  const daysOf = 'SELECT min(date) AS first, max(date) AS last FROM price WHERE isin = ? HAVING count(*) > 0'
  return {
    answer: (request) => {
      const answer = answerWithBody(funds, settings, request)
      return request.method === 'HEAD' ? { ...answer, body: '' } : answer
    },
    isins: () => funds.all().map((fund) => fund.isin),
    priceDays: (isin) => funds.select<{ first: string; last: string }>(daysOf, isin)[0],
    close: funds.close,
  }
}

function answerWithBody(
  funds: OracleFunds,
  { asOf, docsUrl }: OracleSettings,
  { method = 'GET', target, accept, acceptLanguage }: OracleRequest,
): OracleAnswer {
  const { path, rawQuery, parameter } = readTarget(target)
  const askedFormat = parameter('format')
  const knownFormat = askedFormat === 'json' || askedFormat === 'xml' ? askedFormat : undefined
  const format = knownFormat ?? acceptedFormat(accept)
  const vary = knownFormat === undefined ? ['accept'] : []
  const answer = (status: number, document: Branch, more: OracleAnswer['headers']): OracleAnswer => {
    const headers = { 'content-type': `application/${format}; charset=utf-8`, ...more }
    return { status, headers, body: format === 'json' ? toJson(document) : toXml(document) }
  }

  if (method === 'OPTIONS') return { status: 204, headers: {}, body: '' }
  try {
    if (method !== 'GET' && method !== 'HEAD') throw problems.wrongMethod(method)
    if (!path.endsWith('/') && hasEndpoint(`${path}/`))
      return { status: 308, headers: { location: `${path}/${rawQuery}` }, body: '' }
    const call = route(path)
    if (call === undefined) throw problems.noEndpoint(decodePercent(path))
    if (askedFormat !== knownFormat) throw problems.wrongFormat(askedFormat ?? '')
    const asked = call.hasLanguages ? parameter('language') : 'de'
    if (asked !== undefined && asked !== 'de' && asked !== 'en') throw problems.wrongLanguage(asked)
    const language = asked ?? acceptedLanguage(acceptLanguage)
    const fund = call.hasForm ? funds.find(call.isin) : undefined
    return answer(200, call.answer({ ...call, funds, asOf, fund, language }), {
      ...(call.hasLanguages && { 'content-language': language }),
      ...varyHeader(asked === undefined ? [...vary, 'accept-language'] : vary),
    })
  } catch (error) {
    if (!(error instanceof OracleProblem)) throw error
    const [status, group, slug] = error.place
    const title = format === 'xml' ? withXmlCharacters(error.message) : error.message
    const type = `${docsUrl}/v1/endpoints/${group}/#error-${status}-${slug}`
    return answer(
      status,
      { title, type, status },
      {
        // A refusal is English, so it does not depend on the language.
        'content-language': 'en',
        ...(status === 405 && { allow: 'GET, HEAD, OPTIONS' }),
        ...varyHeader(vary),
      },
    )
  }
}

const varyHeader = (names: readonly string[]) => names.length > 0 && { vary: names.join(', ') }

/** Whether the path belongs to an endpoint, its parameters right or wrong. */
function hasEndpoint(path: string): boolean {
  try {
    return route(path) !== undefined
  } catch (error) {
    if (error instanceof OracleProblem) return true
    throw error
  }
}
