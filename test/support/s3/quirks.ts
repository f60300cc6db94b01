/** How real stores, gateways and what stands before them differ from S3: for the S3 server of the tests, by name. */
import { createHash } from 'node:crypto'
import type { Operation } from './operations.ts'
import { answer, errorAnswer, type Answer, type Headers } from './wire.ts'

export type QuirkName = keyof typeof quirks

export interface Asked {
  readonly operation: Operation
  readonly method: string
  readonly key: string
  readonly headers: Headers
  readonly query: ReadonlyMap<string, string>
  /** The server's clock in milliseconds. */
  readonly now: number
}

export interface Quirk {
  /** Answers in place of the store. */
  readonly instead?: (asked: Asked) => Answer | undefined
  /** The headers that the store minds. */
  readonly minds?: (headers: Headers, asked: Asked) => Headers
  /** What comes of its answer. */
  readonly becomes?: (answered: Answer, asked: Asked) => Answer
}

const refuse = (status: number, code: string, message = code, details = {}) =>
  errorAnswer(status, code, { Message: message, ...details })

const page = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  answer(status, { 'content-type': 'text/html', ...headers }, '<html><h1>Please log in</h1></html>')

const without = <Value>(headers: Readonly<Record<string, Value>>, unknown: RegExp) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !unknown.test(name)))

const inDocument = (answered: Answer, change: (xml: string) => string): Answer => {
  const isXml = answered.headers['content-type'] === 'application/xml'
  return isXml ? { ...answered, body: Buffer.from(change(answered.body.toString())) } : answered
}

const withEtag = (answered: Answer, change: (etag: string) => string): Answer => {
  const { etag } = answered.headers
  return etag === undefined ? answered : { ...answered, headers: { ...answered.headers, etag: change(etag) } }
}

const isCopy = ({ headers }: Asked) => headers['x-amz-copy-source'] !== undefined
const isListing = ({ operation }: Asked) => operation === 'ListObjectsV2'
const onDelete = (status: number, code: string): Quirk => ({
  instead: ({ operation }) => (operation === 'DeleteObjects' ? refuse(status, code) : undefined),
})
const onCopy = (answered: Answer): Quirk => ({ instead: (asked) => (isCopy(asked) ? answered : undefined) })
const always = (answered: Answer): Quirk => ({ instead: () => answered })

/** ETags that are no digests of what was put, as with keys of the store's own (SSE-KMS). The server's own by what the store shows. */
function saltedEtags(): Quirk {
  const shown = new Map<string, string>()
  const salted = (etag: string) => {
    const other = `"${createHash('md5').update(`salt${etag}`).digest('hex')}"`
    shown.set(other, etag)
    return other
  }
  const own = (etag: string) => shown.get(`"${etag.replaceAll('"', '')}"`) ?? etag
  return {
    minds: (headers) => {
      const match = headers['if-match']
      return match === undefined ? headers : { ...headers, 'if-match': own(match) }
    },
    becomes: (answered) =>
      inDocument(withEtag(answered, salted), (xml) =>
        xml.replaceAll(
          /<ETag>&quot;(.*?)&quot;<\/ETag>/g,
          (_, etag: string) => `<ETag>${salted(`"${etag}"`).replaceAll('"', '&quot;')}</ETag>`,
        ),
      ),
  }
}

/** One write of a key in this time, as R2 and GCS have one a second. */
const perKeyMs = 100

function oneWriteAtATime(): Quirk {
  const last = new Map<string, number>()
  return {
    instead: ({ method, key, now }) => {
      if (method !== 'PUT') return undefined
      if (now - (last.get(key) ?? -Infinity) < perKeyMs)
        return refuse(429, 'ServiceUnavailable', 'Reduce your concurrent request rate for the same object.')
      last.set(key, now)
      return undefined
    },
  }
}

function everySecondConflict(): Quirk {
  let conditional = 0
  return {
    instead: ({ method, headers }) =>
      method === 'PUT' &&
      (headers['if-match'] ?? headers['if-none-match']) !== undefined &&
      conditional++ % 2 === 0
        ? refuse(409, 'ConditionalRequestConflict')
        : undefined,
  }
}

const token = (text: string) => `<NextContinuationToken>${text}</NextContinuationToken>`
const emptyPage = (next: string) =>
  answer(
    200,
    { 'content-type': 'application/xml' },
    `<ListBucketResult><KeyCount>0</KeyCount><IsTruncated>true</IsTruncated>${token(next)}</ListBucketResult>`,
  )

/** Before every token of the server. */
const firstToken = Buffer.from('\u0001').toString('base64')

const quirks = {
  'S3 itself': () => ({}),
  'no checksum headers': () => ({
    instead: ({ headers }) => {
      const unknown = Object.keys(headers).find((name) => /^x-amz-(sdk-)?checksum/.test(name))
      return unknown === undefined
        ? undefined
        : refuse(400, 'InvalidArgument', `Unsupported header '${unknown}' received for this API call.`)
    },
  }),
  'DeleteObjects wants Content-MD5': () => ({
    instead: ({ operation, headers }) =>
      operation === 'DeleteObjects' && headers['content-md5'] === undefined
        ? refuse(400, 'MissingContentMD5')
        : undefined,
  }),
  'no DeleteObjects, 501': () => onDelete(501, 'NotImplemented'),
  'no DeleteObjects, 400': () => onDelete(400, 'InvalidArgument'),
  'no DeleteObjects, 405': () => onDelete(405, 'MethodNotAllowed'),
  'a page for DeleteObjects, 404': () => ({
    instead: ({ operation }) => (operation === 'DeleteObjects' ? page(404) : undefined),
  }),
  'conditions of puts ignored': () => ({
    minds: (headers, { method }) => (method === 'PUT' ? without(headers, /^if-/) : headers),
  }),
  'ETags that are no digests': saltedEtags,
  'ETags of listings without quotes': () => ({
    becomes: (answered) => inDocument(answered, (xml) => xml.replaceAll('&quot;', '')),
  }),
  'no ETag with quotes': () => ({
    becomes: (answered) =>
      inDocument(
        withEtag(answered, (etag) => etag.replaceAll('"', '')),
        (xml) => xml.replaceAll('&quot;', ''),
      ),
  }),
  'weak ETags of gets': () => ({
    becomes: (answered, { method }) =>
      method === 'GET' ? withEtag(answered, (etag) => `W/${etag}`) : answered,
  }),
  'no Date': () => ({
    becomes: ({ headers, ...answered }) => ({ ...answered, headers: { ...headers, date: '' } }),
  }),
  'no ranges': () => ({ minds: (headers) => without(headers, /^range$/) }),
  'an empty first page': () => ({
    instead: (asked) =>
      isListing(asked) && !asked.query.has('continuation-token') ? emptyPage(firstToken) : undefined,
  }),
  'a redirect for now, 307': () =>
    always(refuse(307, 'TemporaryRedirect', 'Please re-send this request.', { Endpoint: 's3.eu-west-1.x' })),
  'a redirect for good, 301': () => always(refuse(301, 'PermanentRedirect')),
  'no metadata': () => ({
    becomes: ({ headers, ...answered }) => ({ ...answered, headers: without(headers, /^x-amz-meta-/) }),
  }),
  'times in whole seconds': () => ({
    becomes: (answered) => inDocument(answered, (xml) => xml.replaceAll(/(T\d\d:\d\d:\d\d)\.\d+Z/g, '$1Z')),
  }),
  'a conflict for every second conditional put': everySecondConflict,
  'one write of a key at a time': oneWriteAtATime,
  'a login page for live.json': () => ({
    instead: ({ method, key }) => (method === 'GET' && key.endsWith('live.json') ? page(200) : undefined),
  }),
  'a login page for every get': () => ({
    instead: ({ method }) => (method === 'GET' ? page(200) : undefined),
  }),
  'a login page for all': () => always(page(200)),
  'a redirect to a login page': () =>
    always(page(302, { location: 'https://portal.example.com/login?from=x' })),
  'a proxy that wants credentials': () => always(page(407)),
  'a network that wants a login': () => always(page(511)),
  'a web server without these pages': () => always(page(404)),
  '403 for what is missing': () => ({
    becomes: (answered, { method }) =>
      answered.status === 404 && method !== 'POST' ? refuse(403, 'AccessDenied', 'Access Denied') : answered,
  }),
  'copies that fail within a 200': () => onCopy({ ...refuse(500, 'InternalError'), status: 200 }),
  'no copies, 501': () => onCopy(refuse(501, 'NotImplemented')),
  'the same token for ever': () => ({
    instead: (asked) => (isListing(asked) ? emptyPage('again') : undefined),
  }),
  'two tokens by turns': () => ({
    instead: (asked) =>
      isListing(asked)
        ? emptyPage(asked.query.get('continuation-token') === 'one' ? 'two' : 'one')
        : undefined,
  }),
  'keys in another order': () => ({
    becomes: (answered, asked) =>
      isListing(asked)
        ? inDocument(answered, (xml) => {
            const contents = xml.match(/<Contents>.*?<\/Contents>/g) ?? []
            return xml.replace(contents.join(''), contents.toReversed().join(''))
          })
        : answered,
  }),
  'a listing without an end': () => ({
    instead: (asked) =>
      isListing(asked)
        ? answer(200, { 'content-type': 'application/xml' }, Buffer.alloc(17 * 2 ** 20, '<ListBucketResult>'))
        : undefined,
  }),
} satisfies Record<string, () => Quirk>

/** @returns a quirk with a memory of its own */
export const quirkOf = (name: QuirkName): Quirk => quirks[name]()

export const quirkNames = Object.keys(quirks) as readonly QuirkName[]
