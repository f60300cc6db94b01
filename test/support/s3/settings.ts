import type { Quirk } from './quirks.ts'

/** How the S3 server of the tests behaves, all of it to be changed while it runs. */

export interface S3Settings {
  accessKeyId: string
  secretAccessKey: string
  /** Answered with ExpiredToken. */
  expiredTokens: readonly string[]
  /** Requests that are signed for another region are refused, with the name of this one. */
  region: string
  /**
   * `ignored`: If-Match and If-None-Match mean nothing on writes, as in old stores. `refused`: they get a 501.
   * `if-match-ignored`: only If-None-Match is known, as in stores that learnt it first.
   */
  conditions: 'honoured' | 'ignored' | 'if-match-ignored' | 'refused'
  versioning: 'Enabled' | 'Suspended' | undefined
  lifecycleRules: readonly LifecycleRule[]
  /** Answered with AccessDenied, keys of DeleteObjects one by one as DeleteObject. */
  deny: readonly DenyRule[]
  /** The server's clock against that of the machine: in Date, LastModified, and in the check of signatures. */
  clockSkewMs: number
  /** Keys in a page of a listing at most; S3 has 1000. */
  maxKeys: number
  /** How it differs from S3. */
  quirk: Quirk
}

export interface LifecycleRule {
  readonly id: string
  readonly prefix: string
  readonly expirationDays?: number
  readonly noncurrentDays?: number
  readonly abortUploadsAfterDays?: number
}

export interface DenyRule {
  /** For example /^(Put|Delete)Object$/. */
  readonly operation: RegExp
  /** Any key and none unless given. */
  readonly key?: RegExp
}

export const makeSettings = (given: Partial<S3Settings> = {}): S3Settings => ({
  accessKeyId: 'TESTKEY',
  secretAccessKey: 'test/secret+key',
  expiredTokens: [],
  region: 'us-east-1',
  conditions: 'honoured',
  versioning: undefined,
  lifecycleRules: [],
  deny: [],
  clockSkewMs: 0,
  maxKeys: 1000,
  quirk: {},
  ...given,
})

export const isDenied = ({ deny }: S3Settings, operation: string, key: string): boolean =>
  deny.some((rule) => rule.operation.test(operation) && (rule.key?.test(key) ?? true))
