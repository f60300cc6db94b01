/** Foretelling nginx: an answer's ETag has to say whether nginx is going to compress it. */

/**
 * Whether nginx compresses for this `Accept-Encoding`: read as nginx 1.22 reads it, since it asks nobody. It looks at
 * the first `gzip`, knows no `*`, and adds up the decimals of the weight. Source: ngx_http_gzip_accept_encoding.
 */
export function isGzipWanted(acceptEncoding: string): boolean {
  if (acceptEncoding.startsWith('gzip,')) return true
  const found = /(?:^|[ ,])gzip(.*)$/i.exec(acceptEncoding)
  if (found === null) return false
  const after = found[1] ?? ''
  if (/^ *(,|$)/.test(after) || /^ *; *$/.test(after)) return true
  const weight = /^ *; *q=([01])(?:\.(\d{0,3}))?(?:[ ,]|$)/i.exec(after)
  if (weight === null) return false
  const [, ones = '', decimals = ''] = weight
  const sum = decimals.split('').reduce((total, digit) => total + Number(digit), Number(ones) * 100)
  return sum > 0 && sum <= 100
}
