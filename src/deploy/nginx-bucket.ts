/** Where a bucket is: the address that its keys are appended to, and what a signature needs to know of it. */

import { isIP } from 'node:net'
import type { DeploymentSettings } from './deployment.ts'

export interface BucketOrigin {
  readonly scheme: 'http:' | 'https:'
  /** With its port, if that is not the scheme's own. */
  readonly host: string
  readonly hostName: string
  /** Begins and ends with a slash; percent-encoded. */
  readonly base: string
  readonly region: string
  /** Whether the host has a name that is to be looked up. */
  readonly needsResolver: boolean
}

/** @throws {Error} without a region on AWS */
export function originOf({
  name,
  endpoint,
  region,
  prefix,
  pathStyle,
}: DeploymentSettings['bucket']): BucketOrigin {
  if (name === null) throw new Error('bucket.name is not set')
  if (endpoint === null && region === null) {
    throw new Error(
      'bucket.region is not set: the address of an AWS bucket has it in it (--region eu-central-1)',
    )
  }
  const url = new URL(endpoint ?? awsEndpoint(region ?? ''))
  // A certificate for *.s3.… does not hold for a name with dots; nor has an IP address subdomains.
  const isInPath = pathStyle || name.includes('.') || isIP(bare(url.hostname)) !== 0
  if (!isInPath) url.hostname = `${name}.${url.hostname}`
  const folders = [
    ...url.pathname.split('/').map(decodeURIComponent),
    isInPath ? name : '',
    ...prefix.split('/'),
  ]
  const path = folders.filter((folder) => folder !== '').map(encodeKey)
  return {
    scheme: url.protocol === 'http:' ? 'http:' : 'https:',
    host: url.host,
    hostName: url.hostname,
    base: ['', ...path, ''].join('/'),
    region: region ?? 'auto',
    needsResolver: isIP(bare(url.hostname)) === 0,
  }
}

const awsEndpoint = (region: string) =>
  `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

/** As a signature wants it. Source: S3, URI encoding. */
const encodeKey = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
