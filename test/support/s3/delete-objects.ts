/** DeleteObjects: up to a thousand keys at once, each with an end of its own. */
import { verifyDelete } from './conditions.ts'
import { S3Error } from './errors.ts'
import { answerXml, bucketOf, type Handler, type World } from './request.ts'
import { isDenied } from './settings.ts'
import type { Bucket } from './store.ts'
import { childText, element, parseXml, xmlDocument, type XmlElement } from './xml.ts'

const maxDeletes = 1000

export const deleteObjects: Handler = (request, world) => {
  const bucket = bucketOf(request, world)
  if (request.headers['content-md5'] === undefined && Object.keys(request.checksums).length === 0)
    throw new S3Error('InvalidRequest', 'Missing required header for this request: Content-MD5')
  const document = parseXml(request.body.toString())
  const objects = document?.children.filter(({ name }) => name === 'Object') ?? []
  const isWellFormed = document?.name === 'Delete' && objects.every((object) => childText(object, 'Key'))
  if (!isWellFormed || objects.length === 0 || objects.length > maxDeletes)
    throw new S3Error(
      'MalformedXML',
      'The XML you provided was not well-formed or did not validate against our published schema',
    )
  const isQuiet = childText(document, 'Quiet') === 'true'
  const results = objects.map((object) => deleteOne(bucket, object, world, isQuiet))
  return answerXml(xmlDocument('DeleteResult', results.join('')))
}

function deleteOne(bucket: Bucket, object: XmlElement, world: World, isQuiet: boolean): string {
  const key = childText(object, 'Key') ?? ''
  const fault = world.deleteFault(key)
  if (fault !== undefined) return errorOf(key, fault, 'We encountered an internal error. Please try again.')
  try {
    if (isDenied(world.settings, 'DeleteObject', key)) throw new S3Error('AccessDenied', 'Access Denied')
    verifyDelete(bucket.objects.get(key), childText(object, 'ETag'), world.settings)
  } catch (error) {
    if (error instanceof S3Error) return errorOf(key, error.code, error.message)
    throw error
  }
  bucket.remove(key)
  return isQuiet ? '' : `<Deleted>${element('Key', key)}</Deleted>`
}

const errorOf = (key: string, code: string, message: string): string =>
  `<Error>${element('Key', key)}${element('Code', code)}${element('Message', message)}</Error>`
