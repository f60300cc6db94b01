/**
 * What one client may take of `serve` and of the nginx before it, and what all clients may take together. A client is an address, or
 * a /64 of IPv6 (`node/client.ts`). nginx's configuration is made from these figures; `test/edge/limits.test.ts` holds the documents to them.
 *
 * A long answer is a date range, or a file that is not in memory.
 */

export const limitsOfClient = {
  /** Requests in work in nginx. Fewer than the long answers of all, so that nginx hands on no client that could take every slot. */
  requests: 48,
  /** Long answers in work. Further ones wait. */
  longAnswers: 32,
}

export const limitsOfAll = {
  longAnswers: 64,
  /** Long answers that wait for their turn. Of more, the last one of the client that has the most is refused. */
  waiting: 512,
  /** Time that a long answer waits before it is refused, in milliseconds. Longer than `readerPatienceMs`, shorter than `nginxPatienceMs`. */
  waitMs: 6000,
  /** A client that has read nothing for this long loses its answer to one that waits. In milliseconds. */
  readerPatienceMs: 5000,
  /** Time without a byte of `serve` after which nginx gives up, in milliseconds. */
  nginxPatienceMs: 10_000,
}

/** Limits of `serve` on long answers. */
export const longAnswerLimits = { ofClient: limitsOfClient, ofAll: limitsOfAll }

export type LongAnswerLimits = typeof longAnswerLimits

interface NginxCache {
  readonly name: string
  /** Room for so many answers. */
  readonly answers: number
  /** A longer answer is not kept. Bytes. */
  readonly mostBytes: number
  /** Lengths of up to `mostBytes`, as a regular expression. */
  readonly lengths: string
}

/**
 * The caches of nginx. Its manager looks every ten seconds only, when a flood has long put gigabytes on the disk. So each cache has room
 * for so few answers, each so small, that it fits `max_size` at any moment (`sizeOfCache`).
 */
export const nginxCaches: readonly NginxCache[] = [
  // Of one fund.
  { name: 'documents', answers: 10_240, mostBytes: 19_999, lengths: String.raw`\d{1,4}|1\d{4}` },
  { name: 'ranges', answers: 1024, mostBytes: 99_999, lengths: String.raw`\d{1,5}` },
  // And lists, of all funds, whatever their length: those are few.
  { name: 'pages', answers: 1024, mostBytes: 99_999, lengths: String.raw`\d{1,5}` },
]

/** Bytes of nginx's shared memory for an answer. Source: ngx_http_file_cache_node_t, 120 bytes, in slabs of 128. */
const nodeBytes = 128
/** The head of a file of a cache: what nginx notes, the key, and the headers of the answer. Bytes. */
const headBytes = 4096
const blockBytes = 4096

/** In KiB of shared memory, and MiB of the disk. */
export const sizeOfCache = ({ answers, mostBytes }: NginxCache) => ({
  zoneKiB: (answers * nodeBytes) / 1024,
  maxMiB: Math.ceil((answers * Math.ceil((headBytes + mostBytes) / blockBytes) * blockBytes) / 1024 ** 2),
})
