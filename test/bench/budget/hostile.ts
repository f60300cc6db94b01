/** Requests that try to cost a server more than they cost the client. */

/** What a deployment has, to ask for it. */
export interface Place {
  /** An existing document: `/api/v1/figures/<isin>/`. */
  readonly document: string
  /** An existing fund. */
  readonly isin: string
  /** A page that accepts byte ranges: `/docs/`. */
  readonly page: string
  /** The longest range of prices, without its format. */
  readonly range: string
  /** The largest file. */
  readonly file: string
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

/** Bytes of line and headers. The limit is 16 KB with everything that a client and a proxy add. */
export const smallSizes: readonly number[] = [1_000, 4_000, 15_500]
/** Sizes beyond the limit, which must be refused. */
export const largeSizes: readonly number[] = [64_000, 250_000]

/** A request in good faith of the same length: the bytes are in a header that nobody reads. */
export const plainRequest = (target: string, bytes: number): RawRequest => ({
  target,
  headers: [['x-filler', 'a'.repeat(Math.max(1, bytes - target.length - 14))]],
})

/** The piece is repeated until the request is as long as it is to be. `before` and `after` are there once. */
type Filling = readonly [name: string, piece: string, why: string, before?: string, after?: string]

/** The piece, repeated and cut to exactly this length. */
const filled = (piece: string, length: number) =>
  piece.repeat(Math.ceil(Math.max(0, length) / piece.length)).slice(0, Math.max(0, length))

interface Family extends Pick<CostlyRequest, 'plain' | 'mayShrink'> {
  readonly group: string
  /** The header that is filled; without it the target is. */
  readonly header?: string
}

const fill = ({ group, header, ...family }: Family, fillings: readonly Filling[]) =>
  fillings.map(([name, piece, why, before = '', after = '']): CostlyRequest => {
    const around = header === undefined ? 0 : family.plain.length + header.length + 4
    const make = (bytes: number): RawRequest => {
      const text = before + filled(piece, bytes - around - before.length - after.length) + after
      if (header === undefined) return { target: text, headers: [] }
      return { target: family.plain, headers: [[header, text]] }
    }
    return { name: `${group}: ${name}`, why, ...family, make }
  })

/** All requests for a deployment. */
export const hostileRequests = (place: Place): readonly CostlyRequest[] => [
  ...queries(place),
  ...paths(place),
  ...byteRanges(place),
  ...negotiations(place),
  ...conditions(place),
  ...floods(place),
]

function queries({ document, page }: Place): CostlyRequest[] {
  const decodes = 'a decoder that fails or starts anew at each piece takes time that grows with the square'
  const query = `${document}?`
  const unslashed = document.slice(0, -1)
  const format = `${query}format=`
  const language = `${query}language=`
  const ofPage = 'pages have no parameters: nothing needs to be decoded'
  return [
    ...fill({ group: 'query', plain: document }, [
      ['names that cannot be decoded', '%&', decodes, query],
      ['names and values that cannot be decoded', '%=%&', decodes, query],
      ['a format that cannot be decoded', '%', decodes, format],
      ['a language of overlong UTF-8', '%C0%AF', decodes, language],
      ['a format of long characters', '%F0%9F%98%80', 'four bytes of UTF-8 are twelve in a URL', format],
      ['names that are encoded', '%66ormat=xml&', 'a name has to be decoded to be known', query],
      ['names that nearly are known', 'forma%74%&', decodes, query],
      [
        'one name, again and again',
        'format=json&',
        'the first counts; a list of all need not be made',
        query,
      ],
      ['two thousand other names', 'a=b&', 'what is kept of each parameter adds up', query],
      ['nothing but separators', '&', 'each separator may become a parameter', query],
      ['nothing but equals signs', '=', 'a search for the value may start at each of them', query],
      ['nothing but question marks', '?', 'a pattern for the query may start at each of them', query],
      ['blanks', '+', 'a plus sign is a blank to some decoders', format],
      ['names of prototypes', '__proto__=x&constructor=x&', 'an object is no dictionary', query],
    ]),
    ...fill({ group: 'query', plain: page }, [
      ['of a page, names that cannot be decoded', '%&', ofPage, `${page}?`],
    ]),
    ...fill({ group: 'query', plain: unslashed }, [
      ['of a path without its slash', '%&', 'the redirect repeats the query', `${unslashed}?`],
    ]),
  ]
}

function paths({ isin, page }: Place): CostlyRequest[] {
  const shown = 'the title of the refusal shows the path, decoded'
  const pattern = 'a pattern that can match a text in two ways tries them all'
  const climbs = 'each step up may copy the path'
  const history = `/api/v1/prices-historic/${isin}/`
  const nul = 'a C string ends there, and front servers refuse it in their own way'
  return [
    ...fill({ group: 'path', plain: '/nothing/' }, [
      ['percent signs', '%', shown, '/', '/'],
      ['segments that cannot be decoded', '%/', shown, '/', '/'],
      ['encoded NULs', '%00', nul, '/', '/'],
      ['overlong UTF-8', '%C0%AF', shown, '/', '/'],
      ['raw bytes that are no UTF-8', '\xc0\xaf', shown, '/', '/'],
      ['half a character, again and again', '%E2%82', shown, '/', '/'],
      ['one long segment', 'a', 'no file has such a name, and a store need not be asked for one', '/', '/'],
      ['a very deep folder', 'a/', 'a route may be looked for at each level', '/', '/'],
      ['nothing but slashes', '/', 'empty segments may be merged one at a time', '/', '/'],
      ['a page in a very deep folder', 'a/', pattern, page],
      ['a page that nearly is one', 'a.-_', pattern, page, '!'],
      ['a page with a very long name', 'a', 'no file has a name of more than 255 bytes', page, '.html'],
      ['an ISIN without end', '9', 'a check digit is computed from every character', '/api/v1/figures/', '/'],
      ['a type without end', 'a-', pattern, '/api/v1/investment_structure-', `/${isin}/`],
      ['a day without end', '9', 'a day is a number to some', history, '-01-01/2024-01-01/'],
    ]),
    ...fill({ group: 'path', plain: '/nothing/', mayShrink: true }, [
      ['up and up', '../', climbs, '/', '/'],
      ['up and up, encoded', '%2e%2e/', climbs, '/', '/'],
      ['down and up', 'a/../', climbs, '/', '/'],
    ]),
  ]
}

const blankRuns = 'a pattern with runs of blanks takes the square of their number'

function byteRanges({ page }: Place): CostlyRequest[] {
  const blanks = 'a pattern with two runs of blanks side by side takes the square of their number'
  const many = 'several ranges make an answer of several parts, each with a copy'
  const digits = 'digits may be made a number one at a time'
  return fill({ group: 'range', plain: page, header: 'Range' }, [
    ['blanks and nothing else', ' ', blanks, 'bytes=', 'x'],
    ['blanks before the first byte', ' ', blanks, 'bytes=', '0-0'],
    ['blanks before the equals sign', ' ', blanks, 'bytes', '=0-0'],
    ['blanks behind the last byte', ' ', blanks, 'bytes=0-0', 'x'],
    ['tabs', '\t', blanks, 'bytes=0-', '0x'],
    ['very many of one byte', '0-0,', many, 'bytes='],
    ['very many that overlap', '0-,', many, 'bytes='],
    ['a number without end', '9', digits, 'bytes=', '-'],
    ['a last part without end', '9', digits, 'bytes=-'],
    ['zeros', '0', digits, 'bytes=0-'],
    ['a unit without end', 'bytes', 'a pattern may look for the unit anywhere', '', '=0-0'],
  ])
}

function negotiations({ document }: Place): CostlyRequest[] {
  const list = 'each member of the list is read, compared and kept'
  const parameters = 'parameters are compared with each offer'
  const parts = 'each part may be cut off to look again'
  const own: Readonly<Record<string, readonly Filling[]>> = {
    Accept: [
      ['ranges with weights', '*/*;q=0.1,', list],
      ['a weight without end', '9', 'a weight has three digits', 'application/xml;q=0.'],
      ['parameters without end', ';a=b', parameters, 'application/json'],
      ['suffixes', 'application/a+json,', 'a suffix is looked for from the end'],
    ],
    'Accept-Language': [
      ['languages with weights', 'en;q=0.1,', list],
      ['a language of very many parts', '-a', parts, 'de'],
    ],
    'Accept-Encoding': [
      ['codings that are refused', 'gzip;q=0,', list],
      ['codings with weights', 'br;q=0.1,gzip;q=0.2,', list],
    ],
  }
  return Object.entries(own).flatMap(([header, fillings]) =>
    fill({ group: header, plain: document, header }, [
      ['commas', ',', list],
      ['weights without a range', ';q=', list],
      ['blanks', ' ', blankRuns, 'a;q=1', 'x'],
      ['quotation marks', '"', 'a quoted text may be looked for at each of them'],
      ...fillings,
    ]),
  )
}

function conditions({ document, page }: Place): CostlyRequest[] {
  const list = 'each ETag of the list is compared'
  const ends = 'the end of an ETag may be looked for at each beginning'
  const comments = 'a lenient parser of dates skips comments'
  const blanks = 'a lenient parser of dates skips blanks'
  const header = (name: string, fillings: readonly Filling[]) =>
    fill({ group: name, plain: document, header: name }, fillings)
  return [
    ...header('If-None-Match', [
      ['commas', ',', list],
      ['ETags', '"x",', list],
      ['weak ETags', 'W/"x",', list],
      ['half ETags', 'W/"', ends],
      ['blanks', ' ', blankRuns, '"x', '"'],
    ]),
    ...header('If-Modified-Since', [
      ['brackets', '(', comments, 'Thu, 01 Jan 2026'],
      ['digits', '9', 'a lenient parser of dates takes any number'],
    ]),
    ...header('If-Match', [['ETags', '"x",', list]]),
    ...header('If-Unmodified-Since', [['blanks', ' ', blanks, 'Thu,', '1']]),
    {
      name: 'If-Range: a date without end',
      why: 'it is compared with two texts, no more',
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

function floods({ document, page }: Place): CostlyRequest[] {
  const joined = 'values of one name are joined: one at a time, that takes the square of their number'
  const options = 'each option names a header to leave out'
  /** The same header again and again; in a name, `#` stands for a number. */
  const lines = (name: string, why: string, plain: string, header: string, value: string): CostlyRequest => ({
    name: `flood: ${name}`,
    why,
    plain,
    make: (bytes) => {
      const headers: [string, string][] = []
      for (let left = bytes - plain.length; left > 0;) {
        const numbered = header.replace('#', String(headers.length))
        headers.push([numbered, value])
        left -= numbered.length + value.length + 4
      }
      return { target: plain, headers }
    },
  })
  const flood = (family: Pick<Family, 'header' | 'mayShrink'>, filling: Filling) =>
    fill({ group: 'flood', plain: document, ...family }, [filling])
  return [
    lines('headers of many names', 'each name is kept', document, 'x-#', 'b'),
    lines('one Accept after the other', joined, document, 'Accept', 'a/b'),
    lines('one If-None-Match after the other', joined, document, 'If-None-Match', '"x"'),
    lines('one Range after the other', joined, page, 'Range', 'bytes=0-0'),
    lines('one X-Forwarded-For after the other', joined, document, 'X-Forwarded-For', '::1'),
    ...flood({ header: 'Cookie', mayShrink: true }, ['cookies', 'a=b; ', 'each cookie may be parsed']),
    ...flood({ header: 'Connection', mayShrink: true }, ['options of the connection', 'close,', options]),
    ...flood({ header: 'x-nul' }, ['a NUL in a header', '\0', 'no header may hold one']),
  ]
}
