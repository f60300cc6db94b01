/** Uploads in parts: begun, filled, put together or given up. */
import { checksumHeader, checksumOf, md5, parseAlgorithm, type Checksums } from './checksums.ts'
import { verifyWrite } from './conditions.ts'
import { S3Error } from './errors.ts'
import { checksumHeaders, keptHeaders, makeObject } from './put-object.ts'
import { answer, answerXml, bucketOf, integer, type Handler, type S3Request, type World } from './request.ts'
import type { Part, Upload } from './store.ts'
import { childText, element, parseXml, xmlDocument, type XmlElement } from './xml.ts'

export const createMultipartUpload: Handler = (request, world) => {
  const bucket = bucketOf(request, world)
  const upload: Upload = {
    id: `upload-${request.requestId}`,
    key: request.key,
    initiated: request.now,
    headers: keptHeaders(request.headers),
    checksumAlgorithm: request.headers['x-amz-checksum-algorithm'],
    parts: new Map(),
  }
  bucket.uploads.set(upload.id, upload)
  const content = [element('Bucket', bucket.name), element('Key', upload.key), element('UploadId', upload.id)]
  return answerXml(xmlDocument('InitiateMultipartUploadResult', content.join('')))
}

export const uploadPart: Handler = (request, world) => {
  const { body, checksums, now } = request
  const upload = uploadOf(request, world)
  const number = integer(request.query.get('partNumber'), 'partNumber', 0, 10_000)
  if (number < 1)
    throw new S3Error('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive')
  const part: Part = { body, etag: `"${md5(body).toString('hex')}"`, lastModified: now, checksums }
  upload.parts.set(number, part)
  return answer(200, { etag: part.etag, ...checksumHeaders({ checksums, checksumType: 'FULL_OBJECT' }) })
}

export const completeMultipartUpload: Handler = (request, world) => {
  const bucket = bucketOf(request, world)
  const upload = uploadOf(request, world)
  const parts = readParts(request.body, upload, world.settings.minPartBytes)
  verifyWrite(bucket.objects.get(upload.key), request.headers, world.settings)
  const digests = Buffer.concat(parts.map(({ body }) => md5(body)))
  const whole = makeObject(request, Buffer.concat(parts.map(({ body }) => body)), upload.headers, {})
  const object = {
    ...whole,
    etag: `"${md5(digests).toString('hex')}-${parts.length}"`,
    checksums: compositeChecksum(parts, upload.checksumAlgorithm),
    checksumType: 'COMPOSITE' as const,
  }
  bucket.put(object)
  bucket.uploads.delete(upload.id)
  const content = [element('Bucket', bucket.name), element('Key', object.key), element('ETag', object.etag)]
  return answerXml(xmlDocument('CompleteMultipartUploadResult', content.join('')))
}

export const abortMultipartUpload: Handler = (request, world) => {
  bucketOf(request, world).uploads.delete(uploadOf(request, world).id)
  return answer(204)
}

export const listMultipartUploads: Handler = (request, world) => {
  const bucket = bucketOf(request, world)
  const prefix = request.query.get('prefix') ?? ''
  const uploads = [...bucket.uploads.values()].filter(({ key }) => key.startsWith(prefix))
  const entries = uploads.map(({ key, id, initiated }) => {
    const since = element('Initiated', new Date(initiated).toISOString())
    return `<Upload>${element('Key', key)}${element('UploadId', id)}${since}</Upload>`
  })
  const head = element('Bucket', bucket.name) + element('IsTruncated', false)
  return answerXml(xmlDocument('ListMultipartUploadsResult', head + entries.join('')))
}

export const listParts: Handler = (request, world) => {
  const upload = uploadOf(request, world)
  const entries = [...upload.parts]
    .sort(([a], [b]) => a - b)
    .map(([number, { etag, body, lastModified }]) => {
      const modified = element('LastModified', new Date(lastModified).toISOString())
      return `<Part>${element('PartNumber', number)}${modified}${element('ETag', etag)}${element('Size', body.length)}</Part>`
    })
  const head = element('Key', upload.key) + element('UploadId', upload.id) + element('IsTruncated', false)
  return answerXml(xmlDocument('ListPartsResult', head + entries.join('')))
}

function uploadOf(request: S3Request, world: World): Upload {
  const upload = bucketOf(request, world).uploads.get(request.query.get('uploadId') ?? '')
  if (upload?.key === request.key) return upload
  throw new S3Error(
    'NoSuchUpload',
    'The specified upload does not exist. It may have been aborted or completed.',
  )
}

function readParts(body: Buffer, upload: Upload, minPartBytes: number): Part[] {
  const document = parseXml(body.toString())
  const listed = document?.children.filter(({ name }) => name === 'Part') ?? []
  if (document?.name !== 'CompleteMultipartUpload' || listed.length === 0)
    throw new S3Error('MalformedXML', 'The XML you provided was not well-formed')
  const numbers = listed.map((part) => Number(childText(part, 'PartNumber')))
  if (numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0)))
    throw new S3Error('InvalidPartOrder', 'The list of parts was not in ascending order.')
  const parts = listed.map((part, index) => findPart(part, upload.parts.get(numbers[index] ?? 0)))
  if (parts.slice(0, -1).some((part) => part.body.length < minPartBytes))
    throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')
  return parts
}

function findPart(listed: XmlElement, part: Part | undefined): Part {
  const etag = (childText(listed, 'ETag') ?? '').replaceAll('"', '')
  const checksums = Object.entries(part?.checksums ?? {})
  const isSame = checksums.every(
    ([name, value]) => (childText(listed, `Checksum${name.toUpperCase()}`) ?? value) === value,
  )
  if (part?.etag === `"${etag}"` && isSame) return part
  throw new S3Error('InvalidPart', 'One or more of the specified parts could not be found.')
}

/** The checksum of the parts' checksums, with their number. */
function compositeChecksum(parts: readonly Part[], name: string | undefined): Checksums {
  const algorithm = parseAlgorithm(name)
  if (algorithm === undefined) return {}
  const sums = parts.map(({ checksums }) => checksums[algorithm])
  if (sums.includes(undefined))
    throw new S3Error(
      'InvalidRequest',
      `The upload was created using a ${algorithm} checksum: ${checksumHeader(algorithm)} is missing of a part`,
    )
  const bytes = Buffer.concat(sums.map((sum) => Buffer.from(sum ?? '', 'base64')))
  return { [algorithm]: `${checksumOf(algorithm, bytes)}-${parts.length}` }
}
