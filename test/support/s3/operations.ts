/** The operations of the S3 server of the tests: those that fundpress asks for, and no others. */
import { isDenied, type LifecycleRule, type S3Settings } from './settings.ts'
import { compareKeys, makeObject, type StoredBucket, type StoredObject } from './storage.ts'
import { answer, answerXml, element, S3Error, unescapeXml, type Answer, type Headers } from './wire.ts'

export type Operation = keyof typeof operations

/** A request that has been verified. */
interface S3Request extends ReturnType<typeof targetOf> {
  readonly headers: Headers
  readonly body: Buffer
  readonly checksums: Readonly<Record<string, string>>
  /** The server's clock in milliseconds. */
  readonly now: number
}

export interface World {
  readonly buckets: Map<string, StoredBucket>
  readonly makeBucket: (name: string) => void
  readonly settings: S3Settings
  /** The error's code, for keys that a rule lets DeleteObjects fail for. */
  readonly deleteFault: (key: string) => string | undefined
}

/** Which operation a request names. @throws {S3Error} if it names none */
export function targetOf(method: string, url: string) {
  const [, rawPath = '', rawQuery = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? []
  const query = new Map<string, string>()
  for (const pair of rawQuery.split('&')) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
    if (name !== '') query.set(decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' ')))
  }
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(rawPath) ?? []
  const operation = operationOf(method, key !== '', query)
  if (operation === undefined || bucket === '') throw new S3Error('NotImplemented', `${method} ${url}`)
  /** `rawPath` as on the wire, for the signature. */
  return { operation, rawPath, query, bucket: decode(bucket), key: decode(key) }
}

function operationOf(
  method: string,
  hasKey: boolean,
  query: ReadonlyMap<string, string>,
): Operation | undefined {
  if (hasKey) {
    if (method === 'DELETE') return query.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject'
    return ({ GET: 'GetObject', HEAD: 'HeadObject', PUT: 'PutObject' } as const)[method]
  }
  if (method === 'PUT') return 'CreateBucket'
  if (method === 'POST') return query.has('delete') ? 'DeleteObjects' : undefined
  if (method !== 'GET') return undefined
  if (query.has('versioning')) return 'GetBucketVersioning'
  if (query.has('lifecycle')) return 'GetBucketLifecycleConfiguration'
  if (query.has('uploads')) return 'ListMultipartUploads'
  return query.get('list-type') === '2' ? 'ListObjectsV2' : undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw Object.assign(new S3Error('InvalidURI', "Couldn't parse the specified URI."), { cause })
  }
}

/** Carries a verified request out, all at once: no other request sees it half done. */
export function carryOut(request: S3Request, world: World): Answer {
  const { operation, bucket: name, key, query } = request
  const denied = operation === 'ListObjectsV2' ? (query.get('prefix') ?? '') : key
  if (isDenied(world.settings, operation, denied)) throw new S3Error('AccessDenied', 'Access Denied')
  if (Buffer.byteLength(key) > 1024) throw new S3Error('KeyTooLongError')
  if (operation === 'CreateBucket') {
    world.makeBucket(name)
    return answer(200)
  }
  const bucket = world.buckets.get(name)
  if (bucket === undefined) throw new S3Error('NoSuchBucket', undefined, { BucketName: name })
  return operations[operation](request, bucket, world)
}

type Handler = (request: S3Request, bucket: StoredBucket, world: World) => Answer

const getObject: Handler = ({ key, headers }, bucket, { settings }) => {
  const object = bucket.objects.get(key)
  // A reader that may not list does not learn that a key is not there.
  if (object === undefined && isDenied(settings, 'ListObjectsV2', '')) throw new S3Error('AccessDenied')
  if (object === undefined) throw new S3Error('NoSuchKey', undefined, { Key: key })
  verifyRead(object, headers)
  const about = {
    ...object.headers,
    etag: object.etag,
    'last-modified': new Date(object.lastModified).toUTCString(),
    'accept-ranges': 'bytes',
  }
  const size = object.body.length
  const range = parseRange(headers['range'], size)
  if (range === undefined) return answer(200, about, object.body)
  const contentRange = `bytes ${range.first}-${range.last}/${size}`
  const part = object.body.subarray(range.first, range.last + 1)
  return answer(206, { ...about, 'content-range': contentRange }, part)
}

/** Several ranges and malformed ones mean the whole object. */
function parseRange(header: string | undefined, size: number) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || from + to === '') return undefined
  if (from !== '' && to !== '' && Number(from) > Number(to)) return undefined
  const first = from === '' ? Math.max(size - Number(to), 0) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (first <= last) return { first, last }
  throw new S3Error('InvalidRange', undefined, { ActualObjectSize: String(size) })
}

function verifyRead(object: StoredObject, headers: Headers): void {
  const match = headers['if-match']
  const noneMatch = headers['if-none-match']
  const since = Date.parse(headers['if-modified-since'] ?? '')
  const isOther =
    match === undefined
      ? object.lastModified > Date.parse(headers['if-unmodified-since'] ?? '')
      : !isNamed(object.etag, match)
  if (isOther) throw new S3Error('PreconditionFailed')
  if (noneMatch !== undefined ? isNamed(object.etag, noneMatch) : object.lastModified <= since)
    throw new S3Error('NotModified', undefined, { ETag: object.etag })
}

/** S3 takes ETags with their quotes and without. */
const isNamed = (etag: string, list: string): boolean =>
  list.trim() === '*' ||
  list.split(',').some((one) => `"${one.trim().replace(/^(?:W\/)?"(.*)"$/, '$1')}"` === etag)

const putObject: Handler = (request, bucket, { settings }) => {
  const { key, headers, body, checksums, now } = request
  if (headers['content-length'] === undefined) throw new S3Error('MissingContentLength')
  verifyWrite(bucket.objects.get(key), headers, settings)
  const kept = /^(cache-control|content-(disposition|encoding|language|type)|expires|x-amz-meta-.*)$/
  const pairs = Object.entries(headers).filter(([name]) => kept.test(name)) as [string, string][]
  const source = headers['x-amz-copy-source']
  const content = source === undefined ? body : copiedFrom(source, bucket, request)
  const object = makeObject(key, content, now, { headers: Object.fromEntries(pairs), checksums })
  bucket.put(object)
  if (source !== undefined) return answerXml('CopyObjectResult', element('ETag', object.etag))
  return answer(200, { etag: object.etag })
}

/** CopyObject: a put without a body, of what is in the same bucket. */
function copiedFrom(source: string, bucket: StoredBucket, { bucket: name, headers }: S3Request): Buffer {
  const [, of = '', key = ''] = /^([^/]+)\/(.+)$/.exec(decode(source)) ?? []
  if (of !== name || headers['x-amz-metadata-directive'] !== 'REPLACE') throw new S3Error('NotImplemented')
  const object = bucket.objects.get(key)
  if (object === undefined) throw new S3Error('NoSuchKey', undefined, { Key: key })
  return object.body
}

function verifyWrite(current: StoredObject | undefined, headers: Headers, { conditions }: S3Settings): void {
  const match = headers['if-match']
  const noneMatch = headers['if-none-match']
  if (conditions === 'ignored' || (match === undefined && noneMatch === undefined)) return
  if (conditions === 'refused' || (noneMatch !== undefined && noneMatch !== '*'))
    throw new S3Error('NotImplemented', 'A header implies functionality that is not implemented')
  if (noneMatch !== undefined && current !== undefined) throw new S3Error('PreconditionFailed')
  if (match === undefined || conditions === 'if-match-ignored') return
  if (current === undefined) throw new S3Error('NoSuchKey')
  if (!isNamed(current.etag, match)) throw new S3Error('PreconditionFailed')
}

const listObjects: Handler = ({ query }, bucket, { settings }) => {
  const prefix = query.get('prefix') ?? ''
  const token = query.get('continuation-token')
  const asked = query.get('max-keys') ?? '1000'
  if (!/^\d{1,9}$/.test(asked)) throw new S3Error('InvalidArgument', 'max-keys is no number')
  const limit = Math.min(Number(asked), settings.maxKeys)
  const after = token === undefined ? undefined : Buffer.from(token, 'base64').toString()
  const delimiter = query.get('delimiter') ?? ''
  /** A key, or the common prefix that stands for it. */
  const entryOf = (key: string) => {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    return end < 0 ? key : key.slice(0, end + delimiter.length)
  }
  const entries = new Set(
    bucket
      .sortedKeys()
      .filter((key) => key.startsWith(prefix))
      .map(entryOf),
  )
  const left = [...entries].filter((entry) => after === undefined || compareKeys(entry, after) > 0)
  const page = left.slice(0, limit)
  const contents = page.flatMap((key) => {
    if (delimiter !== '' && key.endsWith(delimiter) && key !== prefix)
      return `<CommonPrefixes>${element('Prefix', key)}</CommonPrefixes>`
    const object = bucket.objects.get(key)
    if (object === undefined) return []
    const modified = new Date(object.lastModified).toISOString()
    const about = element('LastModified', modified) + element('ETag', object.etag)
    return `<Contents>${element('Key', key)}${about}${element('Size', object.body.length)}</Contents>`
  })
  const next = page.length < left.length ? Buffer.from(page.at(-1) ?? '').toString('base64') : undefined
  const summary = [
    element('Prefix', prefix),
    element('KeyCount', page.length),
    element('MaxKeys', limit),
    element('IsTruncated', next !== undefined),
    next === undefined ? '' : element('NextContinuationToken', next),
  ]
  return answerXml('ListBucketResult', summary.join('') + contents.join(''))
}

const deleteDocument =
  /^(?:<\?xml[^>]*\?>\s*)?<Delete[^>]*>((?:<Object><Key>[^<]+<\/Key><\/Object>|<Quiet>(?:true|false)<\/Quiet>)*)<\/Delete>$/

/** Up to a thousand keys at once, each with an end of its own. */
const deleteObjects: Handler = ({ headers, checksums, body }, bucket, { settings, deleteFault }) => {
  if (headers['content-md5'] === undefined && Object.keys(checksums).length === 0)
    throw new S3Error('InvalidRequest', 'Missing required header for this request: Content-MD5')
  const [, content] = deleteDocument.exec(body.toString()) ?? []
  const keys = [...(content ?? '').matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => unescapeXml(key))
  if (content === undefined || keys.length === 0 || keys.length > 1000) throw new S3Error('MalformedXML')
  const isQuiet = content.includes('<Quiet>true</Quiet>')
  const results = keys.map((key) => {
    const code = deleteFault(key) ?? (isDenied(settings, 'DeleteObject', key) ? 'AccessDenied' : undefined)
    if (code !== undefined)
      return `<Error>${element('Key', key)}${element('Code', code)}${element('Message', code)}</Error>`
    bucket.remove(key)
    return isQuiet ? '' : `<Deleted>${element('Key', key)}</Deleted>`
  })
  return answerXml('DeleteResult', results.join(''))
}

const deleteObject: Handler = ({ key }, bucket) => {
  bucket.remove(key)
  return answer(204)
}

const listUploads: Handler = ({ query }, bucket, { settings }) => {
  const prefix = query.get('prefix') ?? ''
  const marker = query.get('key-marker') ?? ''
  const left = [...bucket.uploads.values()]
    .filter(({ key }) => key.startsWith(prefix) && compareKeys(key, marker) > 0)
    .sort((one, other) => compareKeys(one.key, other.key))
  const page = left.slice(0, settings.maxKeys)
  const entries = page.map(({ key, id, initiated }) => {
    const since = element('Initiated', new Date(initiated).toISOString())
    return `<Upload>${element('Key', key)}${element('UploadId', id)}${since}</Upload>`
  })
  const next = element('NextKeyMarker', page.at(-1)?.key ?? '')
  const summary = element('IsTruncated', page.length < left.length) + next
  return answerXml('ListMultipartUploadsResult', summary + entries.join(''))
}

const abortUpload: Handler = ({ query, key }, bucket) => {
  const id = query.get('uploadId') ?? ''
  if (bucket.uploads.get(id)?.key !== key) throw new S3Error('NoSuchUpload')
  bucket.uploads.delete(id)
  return answer(204)
}

const getVersioning: Handler = (_request, _bucket, { settings: { versioning } }) =>
  answerXml('VersioningConfiguration', versioning === undefined ? '' : element('Status', versioning))

const getLifecycle: Handler = (_request, _bucket, { settings: { lifecycleRules } }) => {
  if (lifecycleRules.length === 0) throw new S3Error('NoSuchLifecycleConfiguration')
  return answerXml('LifecycleConfiguration', lifecycleRules.map(ruleXml).join(''))
}

function ruleXml(rule: LifecycleRule): string {
  const days = (outer: string, inner: string, value: number | undefined): string =>
    value === undefined ? '' : `<${outer}>${element(inner, value)}</${outer}>`
  const actions = [
    days('Expiration', 'Days', rule.expirationDays),
    days('NoncurrentVersionExpiration', 'NoncurrentDays', rule.noncurrentDays),
    days('AbortIncompleteMultipartUpload', 'DaysAfterInitiation', rule.abortUploadsAfterDays),
  ]
  const filter = `<Filter>${element('Prefix', rule.prefix)}</Filter>`
  return `<Rule>${element('ID', rule.id)}${filter}${element('Status', 'Enabled')}${actions.join('')}</Rule>`
}

const operations = {
  AbortMultipartUpload: abortUpload,
  CreateBucket: () => answer(200),
  DeleteObject: deleteObject,
  DeleteObjects: deleteObjects,
  GetBucketLifecycleConfiguration: getLifecycle,
  GetBucketVersioning: getVersioning,
  GetObject: getObject,
  HeadObject: getObject,
  ListMultipartUploads: listUploads,
  ListObjectsV2: listObjects,
  PutObject: putObject,
} satisfies Record<string, Handler>
