/** What stands in a bucket, looked at past the product: straight from the test server's memory. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { S3Server } from './s3/server.ts'

export interface LiveJson {
  readonly slot: 'blue' | 'green'
  readonly snapshot: string
}

export function liveOf(server: S3Server, bucket: string): LiveJson | undefined {
  const object = server.objects(bucket).get('live.json')
  return object === undefined ? undefined : (JSON.parse(object.body.toString()) as LiveJson)
}

/** Everything that is wrong with a slot, measured by the manifest that lies in it. */
export function faultsOfSlot(server: S3Server, bucket: string, slot: string): string[] {
  const objects = server.objects(bucket)
  const manifest = objects.get(`${slot}/manifest.ndjson.gz`)
  if (manifest === undefined) return [`${slot} has no manifest`]
  const [, ...lines] = gunzipSync(manifest.body).toString().trimEnd().split('\n')
  const expected = new Set([`${slot}/manifest.ndjson.gz`, `${slot}/SHA256SUMS`])
  const faults: string[] = []
  for (const line of lines) {
    const { key, sha256, type } = JSON.parse(line) as { key: string; sha256: string; type: string }
    expected.add(`${slot}/${key}`)
    const object = objects.get(`${slot}/${key}`)
    if (object === undefined) faults.push(`${key} is missing`)
    else if (createHash('sha256').update(object.body).digest('hex') !== sha256) faults.push(`${key} differs`)
    else if (object.headers['content-type'] !== type) faults.push(`${key} has another type`)
    else if (object.headers['x-amz-meta-sha256'] !== sha256) faults.push(`${key} does not say its digest`)
  }
  const known = [...objects.keys()].filter((key) => key.startsWith(`${slot}/`) && !expected.has(key))
  return [...faults, ...known.map((key) => `${key} is in no manifest`)]
}

/** The differences between a slot and a snapshot's folder, file by file. */
export function differencesFrom(folder: string, server: S3Server, bucket: string, slot: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
  const objects = server.objects(bucket)
  const wrong = files.filter(
    (path) => objects.get(`${slot}/${path}`)?.body.equals(readFileSync(join(folder, path))) !== true,
  )
  const extra = [...objects.keys()].filter(
    (key) => key.startsWith(`${slot}/`) && !files.includes(key.slice(slot.length + 1)),
  )
  return [...wrong, ...extra]
}

/** Writes into the slot that was live when they were carried out, in the order of the server's log. */
export function writesIntoLive(server: S3Server, liveAtStart: string | undefined): string[] {
  let live = liveAtStart
  const wrong: string[] = []
  for (const { method, key, status, body } of server.log) {
    if (method === 'GET' || method === 'HEAD' || status >= 300) continue
    if (live !== undefined && key.startsWith(`${live}/`)) wrong.push(`${method} ${key}`)
    if (method === 'PUT' && key === 'live.json') live = (JSON.parse(body.toString()) as LiveJson).slot
  }
  return wrong
}
