/** Every operation with its handler, and the checks that all of them share. */
import * as buckets from './buckets.ts'
import { deleteObjects } from './delete-objects.ts'
import { S3Error } from './errors.ts'
import { deleteObject, getObject } from './get-object.ts'
import { listObjectsV2 } from './list-objects.ts'
import * as multipart from './multipart.ts'
import { copyObject, putObject } from './put-object.ts'
import type { Handler } from './request.ts'
import type { Operation } from './route.ts'
import { isDenied } from './settings.ts'

const maxKeyBytes = 1024

const handlers: Readonly<Record<Operation, Handler>> = {
  AbortMultipartUpload: multipart.abortMultipartUpload,
  CompleteMultipartUpload: multipart.completeMultipartUpload,
  CopyObject: copyObject,
  CreateBucket: buckets.createBucket,
  CreateMultipartUpload: multipart.createMultipartUpload,
  DeleteObject: deleteObject,
  DeleteObjects: deleteObjects,
  GetBucketLifecycleConfiguration: buckets.getBucketLifecycle,
  GetBucketLocation: buckets.getBucketLocation,
  GetBucketVersioning: buckets.getBucketVersioning,
  GetObject: getObject,
  HeadBucket: buckets.headBucket,
  HeadObject: getObject,
  ListBuckets: buckets.listBuckets,
  ListMultipartUploads: multipart.listMultipartUploads,
  ListObjectsV2: listObjectsV2,
  ListParts: multipart.listParts,
  PutObject: putObject,
  UploadPart: multipart.uploadPart,
}

/** Carries a verified request out, all at once: no other request sees it half done. */
export const handle: Handler = (request, world) => {
  const denied = request.operation === 'ListObjectsV2' ? (request.query.get('prefix') ?? '') : request.key
  if (isDenied(world.settings, request.operation, denied)) throw new S3Error('AccessDenied', 'Access Denied')
  if (Buffer.byteLength(request.key) > maxKeyBytes)
    throw new S3Error('KeyTooLongError', 'Your key is too long', { MaxSizeAllowed: String(maxKeyBytes) })
  return handlers[request.operation](request, world)
}
