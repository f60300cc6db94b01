/**
 * CloudFront's KeyValueStore: the key `live`, which the viewer-request function reads (`src/extensions/platforms/cloudfront/request.ts`), and for
 * each month a key with the folders of downloads. An update takes seconds to reach all edges: bucket.graceSeconds must cover them.
 * While a snapshot is staged, the key `preview-<token>` names it in the same way.
 */

import { CloudFrontKeyValueStoreClient, GetKeyCommand } from '@aws-sdk/client-cloudfront-keyvaluestore'
import { DeleteKeyCommand, DescribeKeyValueStoreCommand } from '@aws-sdk/client-cloudfront-keyvaluestore'
import { PutKeyCommand } from '@aws-sdk/client-cloudfront-keyvaluestore'
// The SDK finds SigV4A here; the service takes no other signature.
import '@aws-sdk/signature-v4a'
import type { MakeFollower } from '../../../core/extension.ts'
import { foldersByMonth } from '../../../core/bucket/live/download-folders.ts'
import type { LivePointer, Pointed } from '../../../core/bucket/live/follow.ts'
import { downloadsRoot } from '../../../core/bucket/live/layout.ts'
import { bareCause, codeOf, noCredentials, statusOf } from '../../../core/bucket/store/errors.ts'
import { pause } from '../../../core/bucket/store/retry.ts'

const liveKey = 'live'
const previewKey = (token: string) => `preview-${token}`
/** Stands for no folders: a value may not be empty. */
const noFolders = '-'
/** Source: quotas of CloudFront's KeyValueStore. */
const maxValueBytes = 1024
/** Limit of writes by another process between a read and the write after it. */
const maxConflicts = 5

export const follow: MakeFollower = (name, options) => keyValueStore(name, options)

interface KeyValueStoreOptions {
  readonly endpoint?: string
  readonly signal?: AbortSignal
  readonly previewToken?: string | null
}

/**
 * @param arn of the store: `arn:aws:cloudfront::<account>:key-value-store/<id>`
 * @param options `endpoint`: for tests. `previewToken`: edge.previewToken; without it, staged snapshots are not written
 */
export function keyValueStore(
  arn: string,
  { endpoint, signal, previewToken = null }: KeyValueStoreOptions = {},
): LivePointer {
  const { read, set } = requestsTo(arn, endpoint, signal)
  const setMonths = async (live: Pointed): Promise<void> => {
    // After a rollback the month of the former live day may have no days.
    const emptied = live.previous ? { [live.previous.asOf.slice(0, 7)]: noFolders } : {}
    const months = Object.entries({ ...emptied, ...foldersByMonth(live) })
    const known = await Promise.all(months.map(([month]) => read(downloadsRoot + month)))
    for (const [index, [month, folders]] of months.entries())
      if ((known[index] ?? noFolders) !== folders) await set(downloadsRoot + month, folders)
  }

  const explained = (error: unknown): never => {
    signal?.throwIfAborted()
    throw withAdvice(error, arn)
  }
  const setLive = async (live: Pointed) => {
    const value = valueOf(live)
    // Months come first: a live day has its downloads at once.
    return setMonths(live)
      .then(() => set(liveKey, value))
      .catch(explained)
  }
  const setStaged = async (staged: Pointed | null) => {
    if (previewToken === null) return
    await set(previewKey(previewToken), staged && valueOf(staged)).catch(explained)
  }
  return { name: arn, set: setLive, setStaged }
}

function requestsTo(arn: string, endpoint: string | undefined, signal: AbortSignal | undefined) {
  const client = new CloudFrontKeyValueStoreClient({
    // The service is global, but the SDK demands a region.
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
  const set = async (key: string, value: string | null): Promise<boolean> => {
    for (let attempt = 1; ; attempt++) {
      // The ETag comes first: a value read later is at least as new, so a put with this ETag overlooks no change.
      const store = await client.send(new DescribeKeyValueStoreCommand({ KvsARN: arn }), stoppable)
      if ((await read(key)) === value) return false
      try {
        const input = { KvsARN: arn, Key: key, IfMatch: store.ETag }
        if (value === null) await client.send(new DeleteKeyCommand(input), stoppable)
        else await client.send(new PutKeyCommand({ ...input, Value: value }), stoppable)
        return true
      } catch (error) {
        if (!isConflict(error) || attempt === maxConflicts) throw error
        await pause(100 * attempt, signal)
      }
    }
  }
  return { read, set }
}

function valueOf({ slot, snapshot, liveSince, docsUrl, downloads }: Pointed): string {
  // The keys of months do not name the folder of a staged snapshot.
  const folder = downloads?.folder
  const value = JSON.stringify({ slot, snapshot, liveSince, docsUrl, folder })
  if (Buffer.byteLength(value) > maxValueBytes)
    throw new Error(`docsUrl is too long for CloudFront's KeyValueStore (${maxValueBytes} bytes a value)`)
  return value
}

const isConflict = (error: unknown) =>
  codeOf(error) === 'ConflictException' || statusOf(error) === 409 || statusOf(error) === 412

const rights = ['DescribeKeyValueStore', 'GetKey', 'PutKey', 'DeleteKey'].map(
  (name) => `cloudfront-keyvaluestore:${name}`,
)
const denied = `access denied: the credentials need ${rights.join(', ')}`
const advices: Readonly<Record<string, string>> = {
  ResourceNotFoundException: 'there is no such KeyValueStore: check --flip-kvs',
  ConflictException: 'somebody else changes the store again and again',
  CredentialsProviderError: noCredentials,
  AccessDeniedException: denied,
}

function withAdvice(error: unknown, arn: string): unknown {
  const code = codeOf(error)
  const status = statusOf(error)
  // Our own errors and those of the network explain themselves.
  if (!(error instanceof Error) || (status === undefined && code === 'Error')) return error
  const advice = advices[code] ?? (status === 401 || status === 403 ? denied : error.message)
  return new Error(`${arn}: could not say what is live: ${advice} (${code})`, { cause: bareCause(error) })
}
