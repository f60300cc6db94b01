/** Conditional requests. Source: RFC 9110, 13. Asked only of an answer with status 200. */

/**
 * Whether the client's copy still stands: If-None-Match by weak comparison; If-Modified-Since only without it.
 * @param etag of the answer, with its quotation marks
 */
export function isNotModified(
  asked: { readonly ifNoneMatch: string | undefined; readonly ifModifiedSince: string | undefined },
  etag: string,
  lastModified: string,
): boolean {
  if (asked.ifNoneMatch !== undefined) {
    if (asked.ifNoneMatch.trim() === '*') return true
    // Every other piece stands between two quotation marks. (In njs, a global regular expression takes quadratic time.)
    const pieces = asked.ifNoneMatch.split('"')
    return pieces.some(
      (piece, index) => index % 2 === 1 && index < pieces.length - 1 && '"' + piece + '"' === etag,
    )
  }
  if (asked.ifModifiedSince === undefined) return false
  // A date that is none gives NaN, which nothing is at most.
  return Date.parse(lastModified) <= Date.parse(asked.ifModifiedSince)
}

/** The headers of a 304: those of the answer but what describes a body. Source: RFC 9110, 15.4.5. */
export function notModifiedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {}
  Object.keys(headers).forEach((name) => {
    if (!/^Content-/.test(name)) kept[name] = headers[name] as string
  })
  return kept
}
