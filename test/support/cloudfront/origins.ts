/** Requests to origins: signed for S3 as an origin access control signs them, and to the Lambda's address. */
import { createHash, createHmac } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'

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

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** @throws {Error} if the connection fails or breaks off */
export function ask(base: string, { method, path, query, headers }: OriginRequest): Promise<OriginResponse> {
  const { hostname, port } = new URL(base)
  const target = path + (query === '' ? '' : `?${query}`)
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ agent, hostname, port, method, path: target, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const named = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const)
        const hops = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date'])
        const kept = Object.fromEntries(named.filter(([name]) => !hops.has(name)))
        resolve({ status: response.statusCode ?? 0, headers: kept, body: Buffer.concat(chunks) })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
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
