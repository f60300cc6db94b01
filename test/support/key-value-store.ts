/** CloudFront's KeyValueStore as its API gives it: reads, and writes that have to name the store's ETag. */
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './request.ts'

export type KeyValueStoreServer = Awaited<ReturnType<typeof startKeyValueStore>>

export async function startKeyValueStore() {
  const arn = 'arn:aws:cloudfront::123456789012:key-value-store/5d6d5a1c-0000-4000-8000-000000000000'
  const keys = new Map<string, string>()
  const log: string[] = []
  let version = 1
  const etag = () => `KV${version}ETAG`

  const refuse = (status: number, type: string, Message: string) => ({ status, type, body: { Message } })
  const work = (request: IncomingMessage, sent: string): { status: number; type?: string; body: object } => {
    const { method = '', url = '', headers } = request
    if (headers.host?.startsWith('123456789012.') !== true)
      return refuse(404, 'ResourceNotFoundException', 'of another account')
    const path = `/key-value-stores/${encodeURIComponent(arn)}`
    if (!url.startsWith(path)) return refuse(404, 'ResourceNotFoundException', url)
    const rest = decodeURIComponent(url.slice(path.length).replace('/keys/', ''))
    log.push(`${method} ${rest}`.trim())
    server.onRequest(`${method} ${rest}`.trim())
    if (server.refusal !== undefined) return refuse(server.refusal.status, server.refusal.type, 'refused')
    // Version 4A of the signature: its keys are derived from the secret, so only its form is looked at.
    if (headers.authorization?.startsWith('AWS4-ECDSA-P256-SHA256 Credential=TESTKEY/') !== true)
      return refuse(403, 'AccessDeniedException', 'not signed with SigV4A')
    if (headers['x-amz-region-set'] !== '*')
      return refuse(403, 'AccessDeniedException', 'not signed for all regions')
    if (rest === '') return { status: 200, body: { ItemCount: keys.size, KvsARN: arn, Status: 'READY' } }
    if (method === 'GET') {
      const value = keys.get(rest)
      if (value === undefined) return refuse(404, 'ResourceNotFoundException', rest)
      return { status: 200, body: { Key: rest, Value: value, ItemCount: keys.size } }
    }
    if (headers['if-match'] !== etag()) return refuse(409, 'ConflictException', 'the store has another ETag')
    if (method === 'DELETE') {
      keys.delete(rest)
      version++
      return { status: 200, body: { ItemCount: keys.size, TotalSizeInBytes: 0 } }
    }
    const { Value } = JSON.parse(sent) as { Value: string }
    put(rest, Value)
    server.onPut(rest, Value)
    return { status: 200, body: { ItemCount: keys.size, TotalSizeInBytes: Value.length } }
  }
  const put = (key: string, value: string): void => {
    keys.set(key, value)
    version++
  }

  const http = createServer((request, response) => {
    void text(request).then((sent) => {
      const { status, type, body } = work(request, sent)
      const error = type === undefined ? {} : { 'x-amzn-errortype': type }
      response.writeHead(status, { 'content-type': 'application/json', etag: etag(), ...error })
      response.end(JSON.stringify(body))
    })
  })
  const { base, stop } = await listen(http)
  const server = {
    // The SDK asks at 123456789012.localhost: see local-names.ts.
    endpoint: base.replace('127.0.0.1', 'localhost'),
    arn,
    keys,
    /** Requests so far: `GET live`, `PUT live`, `GET` for the store itself. */
    log: log as readonly string[],
    /** Changes a key past the API: somebody else's write. */
    put,
    /** Called at every request, before it is worked on. */
    onRequest: (_request: string): void => undefined,
    /** Called for every write. */
    onPut: (_key: string, _value: string): void => undefined,
    /** Answers all requests with this, until it is undefined again. */
    refusal: undefined as { readonly status: number; readonly type: string } | undefined,
    stop,
  }
  return server
}
