/**
 * CloudFront's KeyValueStore as a place that says what is live: the key `live`, which the viewer-request function reads
 * (`src/edge/cloudfront/request.ts`), and for each month a key with the folders of downloads. An update takes seconds to reach all edges:
 * bucket.graceSeconds must cover them.
 */

import { CloudFrontKeyValueStoreClient, GetKeyCommand } from '@aws-sdk/client-cloudfront-keyvaluestore'
import { DescribeKeyValueStoreCommand, PutKeyCommand } from '@aws-sdk/client-cloudfront-keyvaluestore'
// The service takes SigV4A only, which the SDK finds here.
import '@aws-sdk/signature-v4a'
import { foldersByMonth } from './download-folders.ts'
import type { LivePointer, Pointed } from './flip.ts'
import { downloadsRoot } from './layout.ts'
import { bareCause, codeOf, noCredentials, statusOf } from '../store/errors.ts'
import { pause } from '../store/retry.ts'

const liveKey = 'live'
/** Stands for no folders: a value cannot be empty. */
const noFolders = '-'
/** The size limit of a value. Source: quotas of CloudFront's KeyValueStore. */
const maxValueBytes = 1024
/** How often somebody else may change the store between our read and our write. */
const maxConflicts = 5

/**
 * @param arn of the store: `arn:aws:cloudfront::<account>:key-value-store/<id>`
 * @param options an address other than AWS's, for tests; and what stops a request
 */
export function keyValueStore(
  arn: string,
  { endpoint, signal }: { readonly endpoint?: string; readonly signal?: AbortSignal } = {},
): LivePointer {
  const client = new CloudFrontKeyValueStoreClient({
    // The service is global, but the SDK asks for a region.
    region: 'us-east-1',
    ...(endpoint === undefined ? {} : { endpoint }),
  })
  const stoppable = signal === undefined ? {} : { abortSignal: signal }

  const read = async (key: string) => {
    try {
      return (await client.send(new GetKeyCommand({ KvsARN: arn, Key: key }), stoppable)).Value ?? null
    } catch (error) {
      if (codeOf(error) === 'ResourceNotFoundException') return null
      throw error
    }
  }
  const set = async (key: string, value: string): Promise<boolean> => {
    for (let attempt = 1; ; attempt++) {
      // The ETag first: what is read afterwards is at least as new, so a put with this ETag overlooks nothing.
      const store = await client.send(new DescribeKeyValueStoreCommand({ KvsARN: arn }), stoppable)
      if ((await read(key)) === value) return false
      try {
        const input = { KvsARN: arn, Key: key, Value: value, IfMatch: store.ETag }
        await client.send(new PutKeyCommand(input), stoppable)
        return true
      } catch (error) {
        if (!isConflict(error) || attempt === maxConflicts) throw error
        await pause(100 * attempt, signal)
      }
    }
  }

  const setMonths = async (live: Pointed): Promise<void> => {
    // After a rollback the month of the day that was live may name no day any more.
    const emptied = live.previous ? { [live.previous.asOf.slice(0, 7)]: noFolders } : {}
    const months = Object.entries({ ...emptied, ...foldersByMonth(live) })
    const known = await Promise.all(months.map(([month]) => read(downloadsRoot + month)))
    for (const [index, [month, folders]] of months.entries())
      if ((known[index] ?? noFolders) !== folders) await set(downloadsRoot + month, folders)
  }

  const setLive = async (live: Pointed) => {
    const value = valueOf(live)
    try {
      // First, so that a day that is live has its downloads at once.
      await setMonths(live)
      return await set(liveKey, value)
    } catch (error) {
      signal?.throwIfAborted()
      throw withAdvice(error, arn)
    }
  }
  return { name: arn, set: setLive }
}

/** @throws {Error} if it is too long for a value */
function valueOf({ slot, snapshot, liveSince, docsUrl, downloads }: Pointed): string {
  // The keys of months do not name the folder of what is staged.
  const folder = downloads?.folder
  const value = JSON.stringify({ slot, snapshot, liveSince, docsUrl, folder })
  if (Buffer.byteLength(value) > maxValueBytes)
    throw new Error(`docsUrl is too long for CloudFront's KeyValueStore (${maxValueBytes} bytes a value)`)
  return value
}

const isConflict = (error: unknown) =>
  codeOf(error) === 'ConflictException' || statusOf(error) === 409 || statusOf(error) === 412

const rights = ['DescribeKeyValueStore', 'GetKey', 'PutKey'].map((name) => `cloudfront-keyvaluestore:${name}`)
const denied = `access denied: the credentials need ${rights.join(', ')}`
const advices: Readonly<Record<string, string>> = {
  ResourceNotFoundException: 'there is no such KeyValueStore: check --flip-kvs',
  ConflictException: 'somebody else changes the store again and again',
  CredentialsProviderError: noCredentials,
  AccessDeniedException: denied,
}

function withAdvice(error: unknown, arn: string): unknown {
  const [code, status] = [codeOf(error), statusOf(error)]
  // An error of our own or of the network says what it is.
  if (!(error instanceof Error) || (status === undefined && code === 'Error')) return error
  const advice = advices[code] ?? (status === 401 || status === 403 ? denied : error.message)
  return new Error(`${arn}: could not say what is live: ${advice} (${code})`, { cause: bareCause(error) })
}
