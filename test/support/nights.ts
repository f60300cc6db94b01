/** Small snapshots of one fund family on several nights: every document of each night names its night. */
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { editDatabase } from './database.ts'
import { docsUrl, makeTempFolder, mustRun } from './product.ts'
import { manifestOf, sumsOf } from './tree.ts'

export type Nights = Awaited<ReturnType<typeof buildNights>>

interface NightsOptions {
  /** Years of prices; 2 unless given. */
  readonly years?: number
  /** The day of the newest prices; the first night is that of the day after. */
  readonly until?: string
  /** Only documents of some endpoints, twenty a fund: what a publish costs is its requests. */
  readonly isSmall?: boolean
}

/** @param count how many nights @param funds how many funds: some 120 objects each */
export async function buildNights(
  count: number,
  funds: number,
  { years = 2, until = '2026-11-10', isSmall = false }: NightsOptions = {},
) {
  const folder = makeTempFolder()
  const db = folder.file('funds.sqlite')
  await mustRun([
    'init',
    '--demo',
    '--db',
    db,
    '--funds',
    String(funds),
    '--years',
    String(years),
    '--until',
    until,
  ])
  const build = async (name: string, sql: string, night: number, flags: readonly string[] = []) => {
    editDatabase(db, sql)
    const out = folder.file(name)
    const line = ['build', '--db', db, '--out', out, '--as-of', daysAfter(until, night), '--quiet', ...flags]
    await mustRun(line, { env: { FUNDPRESS_DOCS_URL: docsUrl } })
    if (isSmall) shrink(out)
    return out
  }
  const outs: string[] = []
  for (let night = 1; night <= count; night++) {
    const rename = `UPDATE fund SET name = 'Fonds ' || isin || ' night ${night}'`
    outs.push(await build(`night-${night}`, rename, night))
  }
  return {
    folder,
    /** A snapshot's folder each, `night-1` and so on; their funds are called `… night 1`, `… night 2` and so on. */
    outs,
    /** SHA-256 by key of a snapshot, by its name or folder. */
    sums: (out: string) => sumsOf(resolve(folder.path, out)),
    /** Changes the database by SQL and builds it once more, as of the last night. @returns the snapshot's folder */
    change: (name: string, sql: string, ...flags: readonly string[]) => build(name, sql, count, flags),
    remove: folder.remove,
  }
}

const few = /^(api\/v1\/(prices|profile)|api\/v2\/emt|errors\/)/

/** Leaves a whole snapshot of some documents, under the same id. */
function shrink(out: string): void {
  const { head, lines, documents } = manifestOf(out)
  for (const { key } of documents) if (!few.test(key)) rmSync(join(out, key))
  const kept = documents.filter(({ key }) => few.test(key))
  const bytes = kept.reduce((sum, document) => sum + document.bytes, 0)
  const ofKept = lines.filter((_, index) => few.test(documents[index]?.key ?? ''))
  const manifest = [JSON.stringify({ ...head, objects: kept.length, bytes }), ...ofKept]
  writeFileSync(join(out, 'manifest.ndjson.gz'), gzipSync(`${manifest.join('\n')}\n`))
  const sums = [...kept, ...head.files].map(({ key, sha256 }) => `${sha256}  ${key}\n`)
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
}

/** Changes the profiles of one fund: four objects. */
export const newBenchmark = (number: number) =>
  `UPDATE profile SET benchmark = 'Index ${number}' WHERE isin = (SELECT min(isin) FROM profile)`

const daysAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 24 * 3_600_000).toISOString().slice(0, 10)
