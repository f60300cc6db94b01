/** GetObject, HeadObject and DeleteObject. */
import { verifyDelete, verifyRead } from './conditions.ts'
import { S3Error } from './errors.ts'
import { checksumHeaders } from './put-object.ts'
import { answer, bucketOf, objectOf, type Handler } from './request.ts'
import { isDenied } from './settings.ts'

/** Of HEAD too: the body is left out where the answer is sent. */
export const getObject: Handler = (request, world) => {
  const bucket = bucketOf(request, world)
  // Whoever may not list is not told that a key is not there.
  if (!bucket.objects.has(request.key) && isDenied(world.settings, 'ListObjectsV2', ''))
    throw new S3Error('AccessDenied', 'Access Denied')
  const object = objectOf(bucket, request.key)
  verifyRead(object, request.headers)
  const headers = {
    ...object.headers,
    etag: object.etag,
    'last-modified': new Date(object.lastModified).toUTCString(),
    'accept-ranges': 'bytes',
  }
  const range = parseRange(request.headers['range'], object.size)
  if (range === undefined) {
    const checksums = request.headers['x-amz-checksum-mode'] === 'ENABLED' ? checksumHeaders(object) : {}
    return answer(200, { ...headers, ...checksums }, object.body)
  }
  const contentRange = `bytes ${range.first}-${range.last}/${object.size}`
  const part = object.body.subarray(range.first, range.last + 1)
  return answer(206, { ...headers, 'content-range': contentRange }, part)
}

export const deleteObject: Handler = (request, world) => {
  const bucket = bucketOf(request, world)
  verifyDelete(bucket.objects.get(request.key), request.headers['if-match'], world.settings)
  bucket.remove(request.key)
  return answer(204)
}

/** Several ranges and what is not understood mean the whole object. */
function parseRange(
  header: string | undefined,
  size: number,
): { readonly first: number; readonly last: number } | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || from + to === '') return undefined
  if (from !== '' && to !== '' && Number(from) > Number(to)) return undefined
  const first = from === '' ? Math.max(size - Number(to), 0) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (first <= last) return { first, last }
  throw new S3Error('InvalidRange', 'The requested range is not satisfiable', {
    RangeRequested: header ?? '',
    ActualObjectSize: String(size),
  })
}
