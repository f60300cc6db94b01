/** Builds in this process, with threads that are kept: what a build makes, without its command. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSnapshot, type BuildOptions, type BuildSummary } from '../../src/core/snapshot/build.ts'
import type { Since } from '../../src/core/snapshot/options.ts'
import { defaultExpectations } from '../../src/core/guards/plausibility.ts'
import { ImplausibleDatabase, RefusedDatabase, type Finding } from '../../src/core/data/check/finding.ts'
import { editDatabase, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { startKept } from '../support/kept-threads.ts'
import { apply, openToEdit, type Edit } from './edits.ts'

export const settings = {
  asOf: '2024-05-03',
  docsUrl: 'https://docs.example',
  baseUrl: 'https://api.example',
  code: 'code',
  /** The address of a list of extensions whose pages say what they were given. */
  extensions: new URL('fake-pages.ts', import.meta.url).href,
  hasPages: false,
  jobs: 1,
  only: [],
  // The edits of these tests leave no price plausible.
  expectations: { ...defaultExpectations, groups: [{ never: true }] },
  signal: new AbortController().signal,
}

export const build = (db: string, out: string, more: Partial<BuildOptions> = {}): Promise<BuildSummary> =>
  buildSnapshot({ db, out, ...settings, startThread: startKept, ...more })

export type Outcome =
  | { readonly kind: 'built'; readonly summary: BuildSummary }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] }

/** What comes of a build whose database the checks may refuse. */
export const outcome = (summary: Promise<BuildSummary>): Promise<Outcome> =>
  summary.then(
    (built) => ({ kind: 'built', summary: built }),
    (error: unknown) => {
      if (error instanceof RefusedDatabase || error instanceof ImplausibleDatabase)
        return { kind: 'refused', findings: error.findings }
      throw error
    },
  )
export const outcomeOf = (db: string, out: string, more: Partial<BuildOptions>): Promise<Outcome> =>
  outcome(build(db, out, more))

/** What must not depend on how it was built. */
export const resultOf = ({ snapshot, asOf, funds, documents, bytes, warnings }: BuildSummary) => {
  return { snapshot, asOf, funds, documents, bytes, warnings }
}

export const folderOf = (out: string): Since => ({ kind: 'folder', path: out })
export const manifestOf = (out: string): Since => {
  return { kind: 'manifest', path: join(out, 'manifest.ndjson.gz') }
}

/** Turns one year old on 4 May 2024. */
export const young = isinOf(3)

/** Four funds, with prices of three years. */
export function makeFunds(db: string): void {
  makeDatabase(db, (insert) => {
    for (const isin of [0, 1, 2, 3].map(isinOf)) {
      const inception = isin === young ? '2023-05-04' : '2010-01-04'
      insertGood(insert, isin, { fund: { fund_inception_date: inception } })
      for (const date of ['2021-12-30', '2022-01-03', '2022-12-30', '2024-01-02'])
        insert('price', { ...goodRows['price'], isin, date })
    }
  })
}

/** Carries edits of `edits.ts` out. */
export function editAll(db: string, edits: readonly Edit[]): void {
  const connection = openToEdit(db)
  for (const one of edits) apply(connection, one)
  connection.close()
}

/** The database with a change, in a file of its own. */
export function changedCopy(db: string, file: string, sql: string): string {
  copyFileSync(db, file)
  editDatabase(file, sql)
  return file
}
