/** Small snapshots of one fund family on several nights: every document of each night names its night. */
import Database from 'better-sqlite3'
import { docsUrl, makeTempFolder, mustRun, type TempFolder } from './product.ts'

export interface Nights {
  readonly folder: TempFolder
  /** A snapshot's folder each; their funds are called `… night 1`, `… night 2` and so on. */
  readonly outs: readonly string[]
  readonly remove: () => void
}

/** @param count how many nights @param funds how many funds: some 120 objects each */
export async function buildNights(count: number, funds: number): Promise<Nights> {
  const folder = makeTempFolder()
  const db = folder.file('funds.sqlite')
  await mustRun(['demo', '--db', db, '--funds', String(funds), '--years', '2', '--until', '2026-11-10'])
  const outs: string[] = []
  for (let night = 1; night <= count; night++) {
    const connection = new Database(db)
    connection.prepare("UPDATE fund SET name = 'Fonds ' || isin || ' night ' || ?").run(night)
    connection.close()
    const out = folder.file(`night-${night}`)
    const asOf = `2026-11-${String(10 + night)}`
    await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'], {
      env: { FUNDPRESS_DOCS_URL: docsUrl },
    })
    outs.push(out)
  }
  return { folder, outs, remove: folder.remove }
}
