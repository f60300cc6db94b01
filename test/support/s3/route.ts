/** Which operation on which bucket and key a request asks for. Path style and virtual hosts; no check of rights. */
import { S3Error } from './errors.ts'

export const operations = [
  'AbortMultipartUpload',
  'CompleteMultipartUpload',
  'CopyObject',
  'CreateBucket',
  'CreateMultipartUpload',
  'DeleteObject',
  'DeleteObjects',
  'GetBucketLifecycleConfiguration',
  'GetBucketLocation',
  'GetBucketVersioning',
  'GetObject',
  'HeadBucket',
  'HeadObject',
  'ListBuckets',
  'ListMultipartUploads',
  'ListObjectsV2',
  'ListParts',
  'PutObject',
  'UploadPart',
] as const
export type Operation = (typeof operations)[number]

export interface Target {
  /** As on the wire, for the signature. */
  readonly rawPath: string
  readonly query: ReadonlyMap<string, string>
  readonly bucket: string
  readonly key: string
}

/** @param host the Host header: `<bucket>.localhost` and `<bucket>.127.0.0.1` name a bucket, a bare host does not */
export function parseTarget(url: string, host: string): Target {
  const [, rawPath = '', rawQuery = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? []
  const query = new Map<string, string>()
  for (const pair of rawQuery.split('&')) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
    if (name !== '') query.set(decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' ')))
  }
  const [, virtual] = /^([a-z0-9][a-z0-9.-]*)\.(?:localhost|127\.0\.0\.1)(?::\d+)?$/.exec(host) ?? []
  if (virtual !== undefined) return { rawPath, query, bucket: virtual, key: decode(rawPath.slice(1)) }
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(rawPath) ?? []
  return { rawPath, query, bucket: decode(bucket), key: decode(key) }
}

export function operationOf(method: string, target: Target, isCopy: boolean): Operation {
  const { bucket, key, query } = target
  if (bucket === '') return method === 'GET' ? 'ListBuckets' : refuse(method)
  return key === '' ? bucketOperation(method, query) : objectOperation(method, query, isCopy)
}

function bucketOperation(method: string, query: Target['query']): Operation {
  if (method === 'HEAD') return 'HeadBucket'
  if (method === 'PUT' && query.size === 0) return 'CreateBucket'
  if (method === 'POST' && query.has('delete')) return 'DeleteObjects'
  if (method !== 'GET') return refuse(method)
  if (query.has('location')) return 'GetBucketLocation'
  if (query.has('versioning')) return 'GetBucketVersioning'
  if (query.has('lifecycle')) return 'GetBucketLifecycleConfiguration'
  if (query.has('uploads')) return 'ListMultipartUploads'
  return query.get('list-type') === '2' ? 'ListObjectsV2' : refuse(method)
}

function objectOperation(method: string, query: Target['query'], isCopy: boolean): Operation {
  const ofUpload = query.has('uploadId')
  switch (method) {
    case 'HEAD':
      return 'HeadObject'
    case 'GET':
      return ofUpload ? 'ListParts' : 'GetObject'
    case 'DELETE':
      return ofUpload ? 'AbortMultipartUpload' : 'DeleteObject'
    case 'PUT':
      if (ofUpload) return isCopy ? refuse('UploadPartCopy') : 'UploadPart'
      return isCopy ? 'CopyObject' : 'PutObject'
    case 'POST':
      if (query.has('uploads')) return 'CreateMultipartUpload'
      return ofUpload ? 'CompleteMultipartUpload' : refuse(method)
    default:
      return refuse(method)
  }
}

function refuse(what: string): never {
  throw new S3Error(
    'NotImplemented',
    `A header or query you provided implies functionality that is not implemented: ${what}`,
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw Object.assign(new S3Error('InvalidURI', "Couldn't parse the specified URI."), { cause })
  }
}
