/**
 * Signed requests to a bucket (AWS Signature Version 4), in the query: a header would have to be a variable, and nginx
 * shares those among the requests that one request makes. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */

import type { NjsModules } from './types.ts'

export interface BucketAddress {
  /** With its port, if that is not the scheme's own: what the `Host` header says. */
  readonly host: string
  /** Where the bucket's keys begin, percent-encoded: `/`, or `/bucket/prefix/`. */
  readonly base: string
  readonly region: string
  /**
   * A file like `~/.aws/credentials`; read at each request of a client, so that keys can be exchanged. Null: only keys
   * of the environment count, without them nothing is signed.
   */
  readonly credentialsFile: string | null
}

/** How long a request may be under way, in seconds. A signature that got into a log is worth nothing after that. */
const expires = 60

/** @param now milliseconds since 1970 @returns the query of a GET of a key, by key: empty if it is not signed */
export function signer(modules: NjsModules, address: BucketAddress, now: number): (key: string) => string {
  const { crypto } = modules
  const { host, base, region } = address
  const credentials = readCredentials(modules, address.credentialsFile)
  if (credentials === null) return () => ''
  const hmac = (key: string | Buffer, text: string) => crypto.createHmac('sha256', key).update(text).digest()
  const { id, secret, token } = credentials
  // 20261120T183000Z
  const date = new Date(now).toISOString().replace(/[:-]|\.\d+/g, '')
  const scope = [date.slice(0, 8), region, 's3', 'aws4_request']
  const signingKey = scope.reduce<string | Buffer>(hmac, 'AWS4' + secret)
  const query = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    'X-Amz-Credential=' + encodeForS3([id].concat(scope).join('/')),
    'X-Amz-Date=' + date,
    'X-Amz-Expires=' + expires,
    token === '' ? '' : 'X-Amz-Security-Token=' + encodeForS3(token),
    'X-Amz-SignedHeaders=host',
  ]
    .filter((pair) => pair !== '')
    .join('&')

  return (key) => {
    // Keys are plain: letters, digits, `/`, `.`, `-` and `_` need no encoding.
    const canonical = ['GET', base + key, query, 'host:' + host, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n')
    const digest = crypto.createHash('sha256').update(canonical).digest('hex')
    const toSign = ['AWS4-HMAC-SHA256', date, scope.join('/'), digest].join('\n')
    const signature = crypto.createHmac('sha256', signingKey).update(toSign).digest('hex')
    return query + '&X-Amz-Signature=' + signature
  }
}

/** S3 wants a little more to be encoded than encodeURIComponent does. Source: S3, URI encoding. */
export const encodeForS3 = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => '%' + character.charCodeAt(0).toString(16).toUpperCase(),
  )

/**
 * From the environment, else from the file's `[default]` (or from before its first section).
 * @throws {Error} if there is a file to be read, and no key in it
 */
function readCredentials({ env, fs }: NjsModules, file: string | null) {
  const [id, secret] = [env['AWS_ACCESS_KEY_ID'], env['AWS_SECRET_ACCESS_KEY']]
  if (id && secret) return { id, secret, token: env['AWS_SESSION_TOKEN'] ?? '' }
  if (file === null) return null
  const values: Record<string, string> = {}
  let section = 'default'
  let text: string
  try {
    text = fs.readFileSync(file).toString()
  } catch (error) {
    throw new Error(file + ' cannot be read by nginx: ' + (error as Error).message)
  }
  text.split('\n').forEach((line) => {
    const header = /^\s*\[([^\]]*)\]/.exec(line)
    if (header !== null) section = (header[1] ?? '').trim()
    const [, name, value] = /^\s*([a-z_]+)\s*=\s*(\S+)\s*$/.exec(line) ?? []
    if (name !== undefined && value !== undefined && section === 'default') values[name] = value
  })
  const { aws_access_key_id: fileId, aws_secret_access_key: fileSecret } = values
  if (!fileId || !fileSecret) {
    throw new Error(file + ': needs the lines aws_access_key_id = … and aws_secret_access_key = …')
  }
  return { id: fileId, secret: fileSecret, token: values['aws_session_token'] ?? '' }
}
