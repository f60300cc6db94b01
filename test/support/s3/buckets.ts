/** The operations on buckets themselves. */
import { S3Error } from './errors.ts'
import { answer, answerXml, bucketOf, type Handler } from './request.ts'
import type { LifecycleRule } from './settings.ts'
import { element, xmlDocument } from './xml.ts'

export const createBucket: Handler = ({ bucket }, { store, settings }) => {
  if (!/^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new S3Error('InvalidBucketName', 'The specified bucket is not valid.', { BucketName: bucket })
  // Of old, and nowhere else, us-east-1 says yes again.
  if (store.buckets.has(bucket) && settings.region !== 'us-east-1')
    throw new S3Error('BucketAlreadyOwnedByYou', 'Your previous request to create the named bucket succeeded')
  store.create(bucket)
  return answer(200, { location: `/${bucket}` })
}

export const headBucket: Handler = (request, world) => {
  bucketOf(request, world)
  return answer(200, { 'x-amz-bucket-region': world.settings.region })
}

export const listBuckets: Handler = (_request, { store }) => {
  const buckets = [...store.buckets.keys()].map((name) => `<Bucket>${element('Name', name)}</Bucket>`)
  return answerXml(xmlDocument('ListAllMyBucketsResult', `<Buckets>${buckets.join('')}</Buckets>`))
}

export const getBucketLocation: Handler = (request, world) => {
  bucketOf(request, world)
  const { region } = world.settings
  return answerXml(xmlDocument('LocationConstraint', region === 'us-east-1' ? '' : region))
}

export const getBucketVersioning: Handler = (request, world) => {
  bucketOf(request, world)
  const { versioning } = world.settings
  const status = versioning === undefined ? '' : element('Status', versioning)
  return answerXml(xmlDocument('VersioningConfiguration', status))
}

export const getBucketLifecycle: Handler = (request, world) => {
  bucketOf(request, world)
  const { lifecycleRules } = world.settings
  if (lifecycleRules.length === 0)
    throw new S3Error('NoSuchLifecycleConfiguration', 'The lifecycle configuration does not exist')
  return answerXml(xmlDocument('LifecycleConfiguration', lifecycleRules.map(ruleXml).join('')))
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
