/** CloudFront's KeyValueStore as its API gives it: reads, and writes that have to name the store's ETag. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface KeyValueStoreServer {
  readonly endpoint: string
  readonly arn: string
  readonly keys: Map<string, string>
  /** Requests so far: `GET live`, `PUT live`, `GET` for the store itself. */
  readonly log: readonly string[]
  /** Changes a key past the API: somebody else's write. */
  readonly put: (key: string, value: string) => void
  /** Called at every request, before it is worked on. */
  onRequest: (request: string) => void
  /** Called for every write. */
  onPut: (key: string, value: string) => void
  /** Answers all requests with this, until it is undefined again. */
  refusal: { readonly status: number; readonly type: string } | undefined
  readonly stop: () => Promise<void>
}

export async function startKeyValueStore(): Promise<KeyValueStoreServer> {
  const arn = 'arn:aws:cloudfront::123456789012:key-value-store/5d6d5a1c-0000-4000-8000-000000000000'
  const keys = new Map<string, string>()
  const log: string[] = []
  let version = 1
  const etag = () => `KV${version}ETAG`

  const work = (request: IncomingMessage, text: string): { status: number; type?: string; body: object } => {
    const { method = '', url = '', headers } = request
    if (headers.host?.startsWith('123456789012.') !== true)
      return { status: 404, type: 'ResourceNotFoundException', body: { Message: 'of another account' } }
    const path = `/key-value-stores/${encodeURIComponent(arn)}`
    const rest = url.startsWith(path)
      ? decodeURIComponent(url.slice(path.length).replace('/keys/', ''))
      : undefined
    if (rest === undefined) return { status: 404, type: 'ResourceNotFoundException', body: { Message: url } }
    log.push(`${method} ${rest}`.trim())
    server.onRequest(`${method} ${rest}`.trim())
    if (server.refusal !== undefined) return { ...server.refusal, body: { Message: 'refused' } }
    // Version 4A of the signature: its keys are derived from the secret, so only its form is looked at.
    if (headers.authorization?.startsWith('AWS4-ECDSA-P256-SHA256 Credential=TESTKEY/') !== true)
      return { status: 403, type: 'AccessDeniedException', body: { Message: 'not signed with SigV4A' } }
    if (headers['x-amz-region-set'] !== '*')
      return { status: 403, type: 'AccessDeniedException', body: { Message: 'not signed for all regions' } }
    if (rest === '') return { status: 200, body: { ItemCount: keys.size, KvsARN: arn, Status: 'READY' } }
    if (method === 'GET') {
      const value = keys.get(rest)
      if (value === undefined)
        return { status: 404, type: 'ResourceNotFoundException', body: { Message: rest } }
      return { status: 200, body: { Key: rest, Value: value, ItemCount: keys.size } }
    }
    if (headers['if-match'] !== etag())
      return { status: 409, type: 'ConflictException', body: { Message: 'the store has another ETag' } }
    const { Value } = JSON.parse(text) as { Value: string }
    put(rest, Value)
    server.onPut(rest, Value)
    return { status: 200, body: { ItemCount: keys.size, TotalSizeInBytes: Value.length } }
  }
  const put = (key: string, value: string): void => {
    keys.set(key, value)
    version++
  }

  const http = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { status, type, body } = work(request, Buffer.concat(chunks).toString())
      const error = type === undefined ? {} : { 'x-amzn-errortype': type }
      response.writeHead(status, { 'content-type': 'application/json', etag: etag(), ...error })
      response.end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const server: KeyValueStoreServer = {
    // The SDK asks at 123456789012.localhost: see local-names.ts.
    endpoint: `http://localhost:${(http.address() as AddressInfo).port}`,
    arn,
    keys,
    log,
    put,
    onRequest: () => undefined,
    onPut: () => undefined,
    refusal: undefined,
    stop: async () => {
      const closed = new Promise((resolve) => http.close(resolve))
      http.closeAllConnections()
      await closed
    },
  }
  return server
}
