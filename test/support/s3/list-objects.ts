/** ListObjectsV2: in byte order, by pages, with common prefixes. */
import { S3Error } from './errors.ts'
import { compareKeys, seek } from './key-order.ts'
import { answerXml, bucketOf, integer, type Handler } from './request.ts'
import { element, xmlDocument } from './xml.ts'

type Entry =
  { readonly kind: 'key'; readonly key: string } | { readonly kind: 'prefix'; readonly key: string }

export const listObjectsV2: Handler = (request, world) => {
  const bucket = bucketOf(request, world)
  const { query } = request
  const [prefix = '', delimiter = ''] = [query.get('prefix'), query.get('delimiter')]
  const token = query.get('continuation-token')
  const asked = integer(query.get('max-keys'), 'max-keys', 1000, 2 ** 31 - 1)
  const encodingType = query.get('encoding-type')
  if (encodingType !== undefined && encodingType !== 'url')
    throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request')
  const encode =
    encodingType === 'url' ? (text: string) => encodeURIComponent(text).replaceAll('%2F', '/') : String

  const start = token === undefined ? undefined : readToken(token)
  const after = start ?? { kind: 'key' as const, key: query.get('start-after') ?? '' }
  const limit = Math.min(asked, world.settings.maxKeys)
  const { entries, next } = listPage(bucket.sortedKeys(), { prefix, delimiter, after, limit })

  const contents = entries.map(({ kind, key }) => {
    if (kind === 'prefix') return `<CommonPrefixes>${element('Prefix', encode(key))}</CommonPrefixes>`
    const object = bucket.objects.get(key)
    if (object === undefined) return ''
    const modified = new Date(object.lastModified).toISOString()
    const more = element('Size', object.size) + element('StorageClass', 'STANDARD')
    return `<Contents>${element('Key', encode(key))}${element('LastModified', modified)}${element('ETag', object.etag)}${more}</Contents>`
  })
  const head: readonly (readonly [string, string | number | boolean | undefined])[] = [
    ['Name', bucket.name],
    ['Prefix', encode(prefix)],
    ['Delimiter', delimiter === '' ? undefined : encode(delimiter)],
    ['StartAfter', query.has('start-after') ? encode(query.get('start-after') ?? '') : undefined],
    ['ContinuationToken', token],
    ['NextContinuationToken', next === undefined ? undefined : writeToken(next)],
    ['KeyCount', entries.length],
    ['MaxKeys', limit],
    ['EncodingType', encodingType],
    ['IsTruncated', next !== undefined],
  ]
  const summary = head.map(([name, value]) => (value === undefined ? '' : element(name, value)))
  return answerXml(xmlDocument('ListBucketResult', summary.join('') + contents.join('')))
}

interface PageOptions {
  readonly prefix: string
  readonly delimiter: string
  readonly after: Entry
  readonly limit: number
}

function listPage(keys: readonly string[], { prefix, delimiter, after, limit }: PageOptions) {
  const entries: Entry[] = []
  const isPast = (key: string): boolean =>
    compareKeys(key, after.key) > 0 && !(after.kind === 'prefix' && key.startsWith(after.key))
  let at = Math.max(
    seek(keys, 0, isPast),
    seek(keys, 0, (key) => compareKeys(key, prefix) >= 0),
  )
  while (entries.length < limit) {
    const key = keys[at]
    if (!key?.startsWith(prefix)) break
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    if (cut < 0) {
      entries.push({ kind: 'key', key })
      at++
    } else {
      const common = key.slice(0, cut + delimiter.length)
      entries.push({ kind: 'prefix', key: common })
      at = seek(keys, at, (other) => !other.startsWith(common))
    }
  }
  const isMore = limit > 0 && (keys[at]?.startsWith(prefix) ?? false)
  return { entries, next: isMore ? entries.at(-1) : undefined }
}

const writeToken = ({ kind, key }: Entry): string => Buffer.from(`${kind} ${key}`).toString('base64')

function readToken(token: string): Entry {
  const [, kind, key] = /^(key|prefix) (.*)$/s.exec(Buffer.from(token, 'base64').toString()) ?? []
  if ((kind === 'key' || kind === 'prefix') && key !== undefined) return { kind, key }
  throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect', {
    ArgumentName: 'continuation-token',
  })
}
