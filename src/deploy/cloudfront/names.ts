/** Names that the distribution and the code behind it share. */

/** Ids of the distribution's origins. */
export const bucketOrigin = 'bucket'
export const lambdaOrigin = 'lambda'

/**
 * Statuses of the bucket at which the Lambda answers in its place: no key can be that long, no such object (403 to a
 * reader that may not list), no such range of bytes, and trouble.
 */
export const failover = [400, 403, 404, 416, 500, 502, 503, 504]

/** What takes part in CloudFront's cache key beside the path: edge/adapters/cloudfront.ts writes them. */
export const keyQueries = ['live', 'format', 'language', 'vary']
export const keyHeaders = ['X-Fundpress-Target']
