/** The content of a bucket, read and changed directly in the test server's memory, without the product. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { S3Server } from './s3/server.ts'
import { filesIn, isOfChanges, parseManifest } from './tree.ts'

export interface LiveJson {
  readonly slot: 'blue' | 'green'
  readonly snapshot: string
  readonly asOf: string
  readonly liveSince: string
  readonly broughtBy?: string
  readonly hold?: { readonly since: string; readonly reason: string | null; readonly reverted: string }
  readonly downloads?: {
    readonly folder: string
    readonly files: number
    readonly bytes: number
    readonly sums: string
  }
  readonly earlierDownloads?: Readonly<Record<string, string>>
  readonly previous: Omit<LiveJson, 'previous'> | null
}

export type Bucket = ReturnType<typeof bucketOf>

/** @param folder where the names of snapshots are looked up */
export function bucketOf(server: S3Server, name: string, folder: string) {
  const objects = () => server.objects(name)
  const body = (key: string) => objects().get(key)?.body ?? Buffer.alloc(0)
  const keys = (prefix = '') => [...objects().keys()].filter((key) => key.startsWith(prefix))
  const live = (): LiveJson | undefined =>
    objects().has('live.json') ? (JSON.parse(body('live.json').toString()) as LiveJson) : undefined
  return {
    name,
    /** Those that begin with the prefix, in the order of their first puts. */
    keys,
    /** Empty if there is no such object. */
    body,
    put: (key: string, content: string | Buffer) => {
      server.put(name, key, content)
    },
    remove: (key: string) => {
      server.remove(name, key)
    },
    empty: () => {
      server.empty(name)
    },
    /** Copies all objects. @returns a function that puts them back */
    save: () => {
      const saved = new Map(objects())
      return () => {
        server.restore(name, saved)
      }
    },
    live,
    /** The folder that live.json names for the downloads of a day, or of the live snapshot: `downloads/<folder>/`. */
    downloads: (day?: string) => {
      const { downloads, earlierDownloads = {}, asOf }: Partial<LiveJson> = live() ?? {}
      if (day === undefined || day === asOf) return `downloads/${downloads?.folder ?? 'none'}/`
      const rest = earlierDownloads[day.slice(0, 7)]?.split(' ').find((one) => one.startsWith(day.slice(8)))
      return rest === undefined ? 'downloads/none/' : `downloads/${day.slice(0, 8)}${rest}/`
    },
    /** Everything that is wrong with a slot, measured by the manifest that lies in it. */
    faultsOf: (slot = 'nothing') => faultsOfSlot(objects(), slot),
    /** The differences between a slot and a snapshot's folder, file by file. */
    differencesFrom: (snapshot: string, slot = 'nothing') => {
      const out = resolve(folder, snapshot)
      const files = filesIn(out).filter((key) => !isOfChanges(key))
      const isSame = (file: string) => body(`${slot}/${file}`).equals(readFileSync(join(out, file)))
      const extra = keys(`${slot}/`)
        .map((key) => key.slice(slot.length + 1))
        .filter((key) => !isOfChanges(key))
      return [...files.filter((file) => !isSame(file)), ...extra.filter((key) => !files.includes(key))]
    },
    /** Writes into the slot that was live when they were carried out, in the order of the server's log. */
    writesIntoLive: (liveAtStart: string | undefined) => writesIntoLive(server, liveAtStart),
  }
}

function faultsOfSlot(objects: ReturnType<S3Server['objects']>, slot: string): string[] {
  const manifest = objects.get(`${slot}/manifest.ndjson.gz`)
  if (manifest === undefined) return [`${slot} has no manifest`]
  const { head, documents } = parseManifest(manifest.body)
  const expected = new Set([`${slot}/manifest.ndjson.gz`, `${slot}/SHA256SUMS`])
  const faults: string[] = []
  for (const { key, sha256, type } of [...documents, ...head.files]) {
    expected.add(`${slot}/${key}`)
    const object = objects.get(`${slot}/${key}`)
    if (object === undefined) faults.push(`${key} is missing`)
    else if (createHash('sha256').update(object.body).digest('hex') !== sha256) faults.push(`${key} differs`)
    else if (object.headers['content-type'] !== type) faults.push(`${key} has another type`)
    else if (object.headers['x-amz-meta-sha256'] !== sha256) faults.push(`${key} does not say its digest`)
  }
  const known = [...objects.keys()].filter(
    (key) => key.startsWith(`${slot}/`) && !expected.has(key) && !isOfChanges(key.slice(slot.length + 1)),
  )
  return [...faults, ...faultsOfChanges(objects, slot), ...known.map((key) => `${key} is in no manifest`)]
}

/** The nights of the index against the files beside it. */
function faultsOfChanges(objects: ReturnType<S3Server['objects']>, slot: string): string[] {
  const bodyOf = (file: string) => objects.get(`${slot}/changes/${file}`)?.body ?? Buffer.alloc(0)
  if (bodyOf('index.json').length === 0) return [`${slot}/changes has no index`]
  const { nights } = JSON.parse(bodyOf('index.json').toString()) as {
    readonly nights: readonly { readonly file: string; readonly sha256: string }[]
  }
  const feed = bodyOf('feed.xml').toString()
  return nights.flatMap(({ file, sha256 }) => [
    ...(createHash('sha256').update(bodyOf(file)).digest('hex') === sha256 ? [] : [`${file} differs`]),
    ...(feed.includes(`/changes/${file}"`) ? [] : [`${file} is not in the feed`]),
  ])
}

function writesIntoLive(server: S3Server, liveAtStart: string | undefined): string[] {
  let live = liveAtStart
  const wrong: string[] = []
  for (const { method, key, status, body } of server.log) {
    if (method === 'GET' || method === 'HEAD' || status >= 300) continue
    if (live !== undefined && key.startsWith(`${live}/`)) wrong.push(`${method} ${key}`)
    // A request that was cut before it was carried out has no body.
    if (method === 'PUT' && key === 'live.json' && body.length > 0)
      live = (JSON.parse(body.toString()) as LiveJson).slot
  }
  return wrong
}
