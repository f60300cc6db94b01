/** Requests to origins: signed for S3 as an origin access control signs them, and to the Lambda's address. */
import { createHash, createHmac } from 'node:crypto'
import { rawRequest } from '../request.ts'

export interface OriginRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
}

export interface OriginResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** @throws {Error} if the connection fails or breaks off */
export async function ask(
  base: string,
  { method, path, query, headers }: OriginRequest,
): Promise<OriginResponse> {
  const target = path + (query === '' ? '' : `?${query}`)
  const answer = await rawRequest(base, { method, target, headers })
  const hops = ['connection', 'keep-alive', 'transfer-encoding', 'date']
  const kept = answer.headers.filter(([name]) => !hops.includes(name))
  return { status: answer.status, headers: Object.fromEntries(kept), body: answer.body }
}

export interface Signer {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

/** Signature version 4 in headers. Source: the S3 API reference, "Authenticating Requests: Using the Authorization Header". */
export function signed(base: string, request: OriginRequest, signer: Signer): OriginRequest {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${signer.region}/s3/aws4_request`
  const own = { host: new URL(base).host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-date': time }
  const names = Object.keys(own).join(';')
  const query = request.query
    .split('&')
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort()
    .join('&')
  const canonical = [
    request.method,
    request.path,
    request.query === '' ? '' : query,
    ...Object.entries(own).map(([name, value]) => `${name}:${value}`),
    '',
    names,
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const digest = createHash('sha256').update(canonical).digest('hex')
  const parts = [time.slice(0, 8), signer.region, 's3', 'aws4_request']
  const key = parts.reduce<string | Buffer>(
    (before, part) => createHmac('sha256', before).update(part).digest(),
    `AWS4${signer.secretAccessKey}`,
  )
  const signature = createHmac('sha256', key)
    .update(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`)
    .digest('hex')
  const credential = `Credential=${signer.accessKeyId}/${scope}`
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`
  return { ...request, headers: { ...request.headers, ...own, authorization } }
}
