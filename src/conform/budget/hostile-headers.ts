/** Requests with hostile headers. */

import { filled, header, type BudgetPlace, type HostileRequest } from './hostile-request.ts'

export const hostileHeaders = (place: BudgetPlace): readonly HostileRequest[] => [
  ...byteRanges(place),
  ...negotiations(place),
  ...conditions(place),
  ...floods(place),
]

function byteRanges({ page }: BudgetPlace): HostileRequest[] {
  const blanks = 'a pattern with two runs of blanks side by side takes the square of their number'
  const many = 'several ranges make an answer of several parts, each with a copy'
  const range = (name: string, piece: string, why: string, before = 'bytes=', after = ''): HostileRequest =>
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

function negotiations({ document }: BudgetPlace): HostileRequest[] {
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

/** Makes requests for a document, in which one header is long. */
const headersOf =
  (document: string) =>
  (name: string, header_: string, piece: string, why: string, before = '', after = ''): HostileRequest =>
    header(`${header_}: ${name}`, why, document, header_, (bytes) => before + filled(piece, bytes) + after)

function conditions({ document, page }: BudgetPlace): HostileRequest[] {
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

function floods({ document, page }: BudgetPlace): HostileRequest[] {
  const joined = 'values of one name are joined: one at a time, that takes the square of their number'
  const lines = (
    name: string,
    why: string,
    plain: string,
    line: (at: number) => readonly [string, string],
  ): HostileRequest => ({
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
