/** PutObject and CopyObject, and what of a request's headers is kept with an object. */
import { md5, type Checksums } from './checksums.ts'
import { verifyRead, verifyWrite } from './conditions.ts'
import { S3Error } from './errors.ts'
import {
  answer,
  answerXml,
  bucketOf,
  objectOf,
  type Handler,
  type Headers,
  type S3Request,
} from './request.ts'
import { isDenied } from './settings.ts'
import type { StoredObject } from './store.ts'
import { element, xmlDocument } from './xml.ts'

const kept = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]
const maxMetadataBytes = 2048

export const putObject: Handler = (request, world) => {
  const bucket = bucketOf(request, world)
  verifyWrite(bucket.objects.get(request.key), request.headers, world.settings)
  const object = makeObject(request, request.body, keptHeaders(request.headers), request.checksums)
  bucket.put(object)
  return answer(200, { etag: object.etag, ...checksumHeaders(object) })
}

export const copyObject: Handler = (request, world) => {
  const bucket = bucketOf(request, world)
  const { headers } = request
  const [, name = '', key = ''] =
    /^\/?([^/]+)\/([^?]+)$/s.exec(decodeURIComponent(headers['x-amz-copy-source'] ?? '')) ?? []
  if (key === '') throw new S3Error('InvalidArgument', 'Copy Source must mention the source bucket and key')
  if (isDenied(world.settings, 'GetObject', key)) throw new S3Error('AccessDenied', 'Access Denied')
  const source = objectOf(bucketOf({ bucket: name }, world), key)
  verifyRead(source, {
    'if-match': headers['x-amz-copy-source-if-match'],
    // An unchanged source is no copy at all here: 412, not 304.
    'if-unmodified-since': headers['x-amz-copy-source-if-unmodified-since'],
  })
  const replaces = headers['x-amz-metadata-directive'] === 'REPLACE'
  if (!replaces && name === request.bucket && key === request.key)
    throw new S3Error(
      'InvalidRequest',
      'This copy request is illegal because it is trying to copy an object to itself.',
    )
  verifyWrite(bucket.objects.get(request.key), headers, world.settings)
  const keeps = replaces ? keptHeaders(headers) : source.headers
  const object = makeObject(request, source.body, keeps, source.checksums)
  bucket.put(object)
  const result =
    element('LastModified', new Date(object.lastModified).toISOString()) + element('ETag', object.etag)
  return answerXml(xmlDocument('CopyObjectResult', result))
}

export function makeObject(
  { key, now }: Pick<S3Request, 'key' | 'now'>,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
  checksums: Checksums,
): StoredObject {
  return {
    key,
    body,
    size: body.length,
    etag: `"${md5(body).toString('hex')}"`,
    lastModified: Math.floor(now / 1000) * 1000,
    headers,
    checksums,
    checksumType: 'FULL_OBJECT',
  }
}

export function keptHeaders(headers: Headers): Record<string, string> {
  const found: Record<string, string> = { 'content-type': 'binary/octet-stream' }
  let metadataBytes = 0
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    const isMetadata = name.startsWith('x-amz-meta-')
    if (isMetadata) metadataBytes += name.length - 'x-amz-meta-'.length + Buffer.byteLength(value)
    if (isMetadata || kept.includes(name)) found[name] = value
  }
  if (metadataBytes > maxMetadataBytes)
    throw new S3Error('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size', {
      MaxSizeAllowed: String(maxMetadataBytes),
    })
  const { 'content-encoding': encodings, ...rest } = found
  // How the body was sent is not how it is encoded.
  const encoding = encodings
    ?.split(',')
    .map((one) => one.trim())
    .filter((one) => one !== 'aws-chunked')
    .join(',')
  return encoding === undefined || encoding === '' ? rest : { ...rest, 'content-encoding': encoding }
}

export function checksumHeaders({
  checksums,
  checksumType,
}: Pick<StoredObject, 'checksums' | 'checksumType'>) {
  const pairs = Object.entries(checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value] as const)
  if (pairs.length > 0) pairs.push(['x-amz-checksum-type', checksumType])
  return Object.fromEntries(pairs)
}
