/** Presigned URLs, made by the letter of the specification and not by the code that verifies them. */
import { createHash, createHmac } from 'node:crypto'

export interface UrlToSign {
  readonly method: string
  readonly endpoint: string
  readonly bucket: string
  /** Of unreserved characters and slashes only. */
  readonly key: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly expiresSeconds: number
  readonly date?: Date
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
export function signUrl(request: UrlToSign): string {
  const { method, endpoint, bucket, key, accessKeyId, secretAccessKey, expiresSeconds } = request
  const time = (request.date ?? new Date()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/us-east-1/s3/aws4_request`
  const query = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${encodeURIComponent(`${accessKeyId}/${scope}`)}`,
    `X-Amz-Date=${time}`,
    `X-Amz-Expires=${expiresSeconds}`,
    'X-Amz-SignedHeaders=host',
  ].join('&')
  const path = `/${bucket}/${key}`
  const host = new URL(endpoint).host
  const canonical = `${method}\n${path}\n${query}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const key0 = createHmac('sha256', `AWS4${secretAccessKey}`).update(time.slice(0, 8)).digest()
  const key1 = createHmac('sha256', key0).update('us-east-1').digest()
  const key2 = createHmac('sha256', key1).update('s3').digest()
  const key3 = createHmac('sha256', key2).update('aws4_request').digest()
  const signature = createHmac('sha256', key3)
    .update(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`)
    .digest('hex')
  return `${endpoint}${path}?${query}&X-Amz-Signature=${signature}`
}
