/** Content-Type by a file's name. Pure; see table.ts for limits of this code. */

const types: Readonly<Record<string, string>> = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  png: 'image/png',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  zip: 'application/zip',
  parquet: 'application/vnd.apache.parquet',
  sqlite: 'application/vnd.sqlite3',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  SHA256SUMS: 'text/plain; charset=utf-8',
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
export const isText = (contentType: string) => contentType.indexOf('charset=utf-8') >= 0
