/** What goes over the wire: requests as they came, answers, refusals, and the XML of S3. */
import type { IncomingMessage } from 'node:http'
import { wholeBody } from '../request.ts'

export type Headers = Readonly<Record<string, string | undefined>>

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export const answer = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: Buffer | string = '',
): Answer => ({ status, headers, body: typeof body === 'string' ? Buffer.from(body) : body })

export const answerXml = (root: string, content: string): Answer =>
  answer(
    200,
    { 'content-type': 'application/xml' },
    `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${root}>`,
  )

/** What S3 answers by code; https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const codes: Readonly<Record<number, string>> = {
  304: 'NotModified',
  400: 'AuthorizationHeaderMalformed BadDigest ExpiredToken InvalidArgument InvalidDigest InvalidRequest InvalidToken InvalidURI KeyTooLongError MalformedXML XAmzContentSHA256Mismatch',
  403: 'AccessDenied InvalidAccessKeyId RequestTimeTooSkewed SignatureDoesNotMatch',
  404: 'NoSuchBucket NoSuchKey NoSuchLifecycleConfiguration NoSuchUpload',
  411: 'MissingContentLength',
  412: 'PreconditionFailed',
  416: 'InvalidRange',
  501: 'NotImplemented',
}
const statuses = new Map(
  Object.entries(codes).flatMap(([status, names]) =>
    names.split(' ').map((code) => [code, Number(status)] as const),
  ),
)

/** Thrown wherever a request is refused, turned into an answer in one place. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly code: string
  readonly status: number
  /** More elements of the document, such as Region. */
  readonly details: Readonly<Record<string, string>>

  constructor(code: string, message = code, details: Readonly<Record<string, string>> = {}) {
    super(message)
    this.code = code
    this.status = statuses.get(code) ?? NaN
    this.details = details
  }
}

export function errorAnswer(status: number, code: string, details: Readonly<Record<string, string>>): Answer {
  const content = Object.entries({ Code: code, ...details }).map(([name, text]) => element(name, text))
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${content.join('')}</Error>`
  return answer(status, { 'content-type': 'application/xml' }, xml)
}

export const element = (name: string, text: string | number | boolean): string =>
  `<${name}>${escapeXml(String(text))}</${name}>`

const entities: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
}

/** S3 writes control characters as references, though XML 1.0 knows none of them. */
const escapeXml = (text: string): string =>
  text.replaceAll(/[&<>"\x00-\x1f]/g, (char) => `&${entities[char] ?? `#${char.charCodeAt(0)}`};`)

export const unescapeXml = (text: string): string =>
  text.replaceAll(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return Object.keys(entities).find((char) => entities[char] === name) ?? whole
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
    },
  )

/** Headers by their names in lower case; several of one name become one. */
export function joinHeaders(request: IncomingMessage): Headers {
  const entries = Object.entries(request.headersDistinct)
  return Object.fromEntries(entries.map(([name, values]) => [name, values?.join(',')]))
}

/** @returns undefined if the body broke off */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const body = await wholeBody(request).catch(() => undefined)
  return request.complete ? body : undefined
}

/** Waits for the first bytes of a body, or for its end, and reads no more. */
export async function readSome(request: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const event of ['readable', 'end', 'error', 'close']) request.once(event, resolve)
  })
}
