/** Requests whose path or query is hostile. */

import { filled, target, type BudgetPlace, type HostileRequest } from './hostile-request.ts'

export const hostileTargets = (place: BudgetPlace): readonly HostileRequest[] => [
  ...queries(place),
  ...paths(place),
]

function queries({ document, page }: BudgetPlace): HostileRequest[] {
  const decodes = 'a decoder that fails or starts anew at each piece takes time that grows with the square'
  const query = (name: string, piece: string, why: string, before = ''): HostileRequest =>
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

function paths({ isin, page }: BudgetPlace): HostileRequest[] {
  const shown = 'the title of the refusal shows the path, decoded'
  const pattern = 'a pattern that can match a text in two ways tries them all'
  const path = (name: string, start: string, piece: string, why: string, end = '/'): HostileRequest =>
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
