/** S3's refusals: a code, the status that goes with it, and the XML that says so. */
import { element } from './xml.ts'

/** What S3 answers by code; https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const statuses = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  BucketAlreadyOwnedByYou: 409,
  ConditionalRequestConflict: 409,
  EntityTooSmall: 400,
  ExpiredToken: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidDigest: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidToken: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedTrailerError: 400,
  MalformedXML: 400,
  MetadataTooLarge: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  MissingSecurityHeader: 400,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchLifecycleConfiguration: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  NotModified: 304,
  PermanentRedirect: 301,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  XAmzContentSHA256Mismatch: 400,
} as const

export type ErrorCode = keyof typeof statuses

/** Thrown wherever a request is refused, turned into an answer in one place. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly code: ErrorCode
  readonly status: number
  /** More elements of the document, such as Region. */
  readonly details: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, details: Readonly<Record<string, string>> = {}) {
    super(message)
    this.code = code
    this.status = statuses[code]
    this.details = details
  }
}

export function errorXml(
  code: string,
  message: string,
  requestId: string,
  details: Readonly<Record<string, string>> = {},
): string {
  const more = Object.entries(details).map(([name, text]) => element(name, text))
  const content = element('Code', code) + element('Message', message) + more.join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${content}${element('RequestId', requestId)}</Error>`
}
