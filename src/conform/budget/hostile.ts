/** Requests that try to cost a server more than they cost the client. The command and the tests send the same ones. */

export interface BudgetPlace {
  /** An existing document: `/api/v1/figures/<isin>/`. */
  readonly document: string
  /** An existing fund. */
  readonly isin: string
  /** A page that accepts byte ranges: `/docs/`. */
  readonly page: string
}

/** A request as it is sent; every character is one byte. */
export interface RawRequest {
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
}

export interface CostlyRequest {
  readonly name: string
  readonly why: string
  /** The target of the same request in good faith. The hostile request may cost as much as this one. */
  readonly plain: string
  /** Whether a CDN may remove what makes the request long: dot segments, cookies, options of the connection. */
  readonly mayShrink?: boolean
  /** A request whose line and headers have about `bytes` bytes. */
  readonly make: (bytes: number) => RawRequest
}

/** A request with a target of `bytes` bytes. @param fill makes the target with this many bytes of filling */
export function target(
  name: string,
  why: string,
  plain: string,
  fill: (bytes: number) => string,
): CostlyRequest {
  const own = fill(0).length
  return { name, why, plain, make: (bytes) => ({ target: fill(Math.max(0, bytes - own)), headers: [] }) }
}

/** The same with the value of a header. */
export function header(
  name: string,
  why: string,
  plain: string,
  header_: string,
  fill: (bytes: number) => string,
): CostlyRequest {
  const own = plain.length + header_.length + fill(0).length + 4
  return {
    name,
    why,
    plain,
    make: (bytes) => ({ target: plain, headers: [[header_, fill(Math.max(0, bytes - own))]] }),
  }
}

/** The piece, repeated and cut to exactly this length. */
export const filled = (piece: string, length: number) =>
  piece.repeat(Math.ceil(Math.max(0, length) / piece.length)).slice(0, Math.max(0, length))

/** All requests for a deployment. */
export const hostileRequests = (place: BudgetPlace): readonly CostlyRequest[] => [
  ...hostileTargets(place),
  ...hostileHeaders(place),
]

/** Bytes of line and headers. The limit is 16 KB with everything that a client and a proxy add. */
export const smallSizes: readonly number[] = [1_000, 4_000, 15_500]

/** Sizes beyond the limit, which must be refused. */
export const largeSizes: readonly number[] = [64_000, 250_000]

/** A request in good faith of the same length: the bytes are in a header that nobody reads. */
export const plainRequest = (target: string, bytes: number): RawRequest => ({
  target,
  headers: [['x-filler', 'a'.repeat(Math.max(1, bytes - target.length - 14))]],
})

export const hostileTargets = (place: BudgetPlace): readonly CostlyRequest[] => [
  ...queries(place),
  ...paths(place),
]

function queries({ document, page }: BudgetPlace): CostlyRequest[] {
  const decodes = 'a decoder that fails or starts anew at each piece takes time that grows with the square'
  const query = (name: string, piece: string, why: string, before = ''): CostlyRequest =>
    target(`query: ${name}`, why, document, (bytes) => `${document}?${before}${filled(piece, bytes)}`)
  return [
    query('names that cannot be decoded', '%&', decodes),
    query('names and values that cannot be decoded', '%=%&', decodes),
    query('a format that cannot be decoded', '%', decodes, 'format='),
    query('a language of overlong UTF-8', '%C0%AF', decodes, 'language='),
    query(
      'a format of long characters',
      '%F0%9F%98%80',
      'four bytes of UTF-8 are twelve in a URL',
      'format=',
    ),
    query('names that are encoded', '%66ormat=xml&', 'a name has to be decoded to be known'),
    query('names that nearly are known', 'forma%74%&', decodes),
    query(
      'one name, again and again',
      'format=json&',
      'the first one counts; a list of all need not be made',
    ),
    query('two thousand other names', 'a=b&', 'what is kept of each parameter adds up'),
    query('nothing but separators', '&', 'each separator may become a parameter'),
    query('nothing but equals signs', '=', 'a search for the value may start at each of them'),
    query('nothing but question marks', '?', 'a pattern for the query may start at each of them'),
    query('blanks', '+', 'a plus sign is a blank to some decoders', 'format='),
    query('names of prototypes', '__proto__=x&constructor=x&', 'an object is no dictionary'),
    target(
      'query: of a page, names that cannot be decoded',
      'pages have no parameters: nothing needs to be decoded',
      page,
      (bytes) => `${page}?${filled('%&', bytes)}`,
    ),
    target(
      'query: of a path without its slash',
      'the redirect repeats the query',
      document.slice(0, -1),
      (bytes) => `${document.slice(0, -1)}?${filled('%&', bytes)}`,
    ),
  ]
}

function paths({ isin, page }: BudgetPlace): CostlyRequest[] {
  const shown = 'the title of the refusal shows the path, decoded'
  const pattern = 'a pattern that can match a text in two ways tries them all'
  const path = (name: string, start: string, piece: string, why: string, end = '/'): CostlyRequest =>
    target(`path: ${name}`, why, '/nothing/', (bytes) => start + filled(piece, bytes) + end)
  return [
    path('percent signs', '/', '%', shown),
    path('segments that cannot be decoded', '/', '%/', shown),
    path('encoded NULs', '/', '%00', 'a C string ends there, and front servers refuse it in their own way'),
    path('overlong UTF-8', '/', '%C0%AF', shown),
    path('raw bytes that are no UTF-8', '/', '\xc0\xaf', shown),
    path('half a character, again and again', '/', '%E2%82', shown),
    path('one long segment', '/', 'a', 'no file has such a name, and a store need not be asked for one'),
    path('a very deep folder', '/', 'a/', 'a route may be looked for at each level'),
    path('nothing but slashes', '/', '/', 'empty segments may be merged one at a time'),
    { ...path('up and up', '/', '../', 'each step up may copy the path'), mayShrink: true },
    { ...path('up and up, encoded', '/', '%2e%2e/', 'each step up may copy the path'), mayShrink: true },
    { ...path('down and up', '/', 'a/../', 'each step up may copy the path'), mayShrink: true },
    path('a page in a very deep folder', page, 'a/', pattern, ''),
    path('a page that nearly is one', page, 'a.-_', pattern, '!'),
    path(
      'a page with a very long name',
      page,
      'a',
      'a file system refuses a name of more than 255 bytes',
      '.html',
    ),
    path('an ISIN without end', '/api/v1/figures/', '9', 'a check digit is computed from every character'),
    path('a type without end', '/api/v1/investment_structure-', 'a-', pattern, `/${isin}/`),
    path(
      'a day without end',
      `/api/v1/prices-historic/${isin}/`,
      '9',
      'a day is a number to some',
      '-01-01/2024-01-01/',
    ),
  ]
}

export const hostileHeaders = (place: BudgetPlace): readonly CostlyRequest[] => [
  ...byteRanges(place),
  ...negotiations(place),
  ...conditions(place),
  ...floods(place),
]

function byteRanges({ page }: BudgetPlace): CostlyRequest[] {
  const blanks = 'a pattern with two runs of blanks side by side takes the square of their number'
  const many = 'several ranges make an answer of several parts, each with a copy'
  const range = (name: string, piece: string, why: string, before = 'bytes=', after = ''): CostlyRequest =>
    header(`range: ${name}`, why, page, 'Range', (bytes) => before + filled(piece, bytes) + after)
  return [
    range('blanks and nothing else', ' ', blanks, 'bytes=', 'x'),
    range('blanks before the first byte', ' ', blanks, 'bytes=', '0-0'),
    range('blanks before the equals sign', ' ', blanks, 'bytes', '=0-0'),
    range('blanks behind the last byte', ' ', blanks, 'bytes=0-0', 'x'),
    range('tabs', '\t', blanks, 'bytes=0-', '0x'),
    range('very many of one byte', '0-0,', many),
    range('very many that overlap', '0-,', many),
    range('a number without end', '9', 'digits may be made a number one at a time', 'bytes=', '-'),
    range('a last part without end', '9', 'digits may be made a number one at a time', 'bytes=-'),
    range('zeros', '0', 'digits may be made a number one at a time', 'bytes=0-'),
    range('a unit without end', 'bytes', 'a pattern may look for the unit anywhere', '', '=0-0'),
  ]
}

function negotiations({ document }: BudgetPlace): CostlyRequest[] {
  const list = 'each member of the list is read, compared and kept'
  const of = headersOf(document)
  const anywhere = ['Accept', 'Accept-Language', 'Accept-Encoding'].flatMap((name) => [
    of('commas', name, ',', list),
    of('weights without a range', name, ';q=', list),
    of('blanks', name, ' ', 'a pattern with runs of blanks takes the square of their number', 'a;q=1', 'x'),
    of('quotation marks', name, '"', 'a quoted text may be looked for at each of them'),
  ])
  return [
    ...anywhere,
    of('ranges with weights', 'Accept', '*/*;q=0.1,', list),
    of('a weight without end', 'Accept', '9', 'a weight has three digits', 'application/xml;q=0.'),
    of(
      'parameters without end',
      'Accept',
      ';a=b',
      'parameters are compared with each offer',
      'application/json',
    ),
    of('suffixes', 'Accept', 'application/a+json,', 'a suffix is looked for from the end'),
    of('languages with weights', 'Accept-Language', 'en;q=0.1,', list),
    of(
      'a language of very many parts',
      'Accept-Language',
      '-a',
      'each part may be cut off to look again',
      'de',
    ),
    of('codings that are refused', 'Accept-Encoding', 'gzip;q=0,', list),
    of('codings with weights', 'Accept-Encoding', 'br;q=0.1,gzip;q=0.2,', list),
  ]
}

/** Makes requests for a document with one long header. */
const headersOf =
  (document: string) =>
  (name: string, header_: string, piece: string, why: string, before = '', after = ''): CostlyRequest =>
    header(`${header_}: ${name}`, why, document, header_, (bytes) => before + filled(piece, bytes) + after)

function conditions({ document, page }: BudgetPlace): CostlyRequest[] {
  const list = 'each ETag of the list is compared'
  const of = headersOf(document)
  return [
    of('commas', 'If-None-Match', ',', list),
    of('ETags', 'If-None-Match', '"x",', list),
    of('weak ETags', 'If-None-Match', 'W/"x",', list),
    of('half ETags', 'If-None-Match', 'W/"', 'the end of an ETag may be looked for at each beginning'),
    of(
      'blanks',
      'If-None-Match',
      ' ',
      'a pattern with runs of blanks takes the square of their number',
      '"x',
      '"',
    ),
    of('brackets', 'If-Modified-Since', '(', 'a lenient parser of dates skips comments', 'Thu, 01 Jan 2026'),
    of('digits', 'If-Modified-Since', '9', 'a lenient parser of dates takes any number'),
    of('ETags', 'If-Match', '"x",', list),
    of('blanks', 'If-Unmodified-Since', ' ', 'a lenient parser of dates skips blanks', 'Thu,', '1'),
    {
      ...of('a date without end', 'If-Range', '9', 'it is compared with two texts, no more'),
      plain: page,
      make: (bytes) => ({
        target: page,
        headers: [
          ['Range', 'bytes=0-0'],
          ['If-Range', filled('9', bytes - page.length - 40)],
        ],
      }),
    },
  ]
}

function floods({ document, page }: BudgetPlace): CostlyRequest[] {
  const joined = 'values of one name are joined: one at a time, that takes the square of their number'
  const lines = (
    name: string,
    why: string,
    plain: string,
    line: (at: number) => readonly [string, string],
  ): CostlyRequest => ({
    name: `flood: ${name}`,
    why,
    plain,
    make: (bytes) => {
      const headers: (readonly [string, string])[] = []
      for (let left = bytes - plain.length; left > 0;) {
        const [one, value] = line(headers.length)
        headers.push([one, value])
        left -= one.length + value.length + 4
      }
      return { target: plain, headers }
    },
  })
  return [
    lines('headers of many names', 'each name is kept', document, (at) => [`x-${at}`, 'b']),
    lines('one Accept after the other', joined, document, () => ['Accept', 'a/b']),
    lines('one If-None-Match after the other', joined, document, () => ['If-None-Match', '"x"']),
    lines('one Range after the other', joined, page, () => ['Range', 'bytes=0-0']),
    lines('one X-Forwarded-For after the other', joined, document, () => ['X-Forwarded-For', '::1']),
    {
      ...header('flood: cookies', 'each cookie may be parsed', document, 'Cookie', (bytes) =>
        filled('a=b; ', bytes),
      ),
      mayShrink: true,
    },
    {
      ...header(
        'flood: options of the connection',
        'each option names a header to leave out',
        document,
        'Connection',
        (bytes) => filled('close,', bytes),
      ),
      mayShrink: true,
    },
    header('flood: a NUL in a header', 'no header may hold one', document, 'x-nul', (bytes) =>
      filled('\0', bytes),
    ),
  ]
}
