/** Content-Type by a file's name. Pure; see table.ts for limits of this code. */

const utf8 = '; charset=utf-8'

const types: Readonly<Record<string, string>> = {
  json: 'application/json' + utf8,
  xml: 'application/xml' + utf8,
  xsd: 'application/xml' + utf8,
  html: 'text/html' + utf8,
  css: 'text/css' + utf8,
  js: 'text/javascript' + utf8,
  svg: 'image/svg+xml' + utf8,
  txt: 'text/plain' + utf8,
  csv: 'text/csv' + utf8,
  atom: 'application/atom+xml' + utf8,
  png: 'image/png',
  parquet: 'application/vnd.apache.parquet',
  sqlite: 'application/vnd.sqlite3',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  SHA256SUMS: 'text/plain' + utf8,
  sig: 'text/plain' + utf8,
}

export const unknownType = 'application/octet-stream'

/** `application/octet-stream` for an unknown ending. */
export function contentTypeOf(key: string): string {
  // Feeds of XML are recognized by name.
  if (/\/feed(\.de)?\.xml$/.test(key)) return types['atom'] as string
  const name = key.slice(key.lastIndexOf('/') + 1)
  return types[name.slice(name.lastIndexOf('.') + 1)] || unknownType
}

/** True if compression pays. */
export const isText = (contentType: string) => contentType.indexOf(utf8) >= 0
