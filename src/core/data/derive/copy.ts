import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../system/temporary.ts'
import { changeCopy, copyDatabase } from '../read/copy.ts'
import { openFunds, type FundDatabase } from '../read/open.ts'
import { type DeriveModes, nothingDerived } from './modes.ts'
import { isDerivable, writeDerived } from './write.ts'

/** What a build reads beside what a database holds. */
export interface Additions {
  readonly derive: DeriveModes
  /** Address of the folder of the fund pages, with its slash: the `url` of funds that have none. Without it these have ''. */
  readonly fundPages: string
}

export const nothingAdded: Additions = { derive: nothingDerived, fundPages: '' }

/** @param baseUrl '' if it is not known @returns '' without an address, or without pages */
export const fundPagesBelow = (baseUrl: string, hasPages: boolean): string =>
  hasPages && baseUrl !== '' ? `${baseUrl}/funds/` : ''

/**
 * Has a database read with what is added: itself if nothing is to be added, else a copy as its transaction sees it, which is gone
 * afterwards. @param file of the copy
 */
export async function withDerived<T>(
  db: FundDatabase,
  { derive, fundPages }: Additions,
  file: () => string | Promise<string>,
  read: (db: FundDatabase, isCopy: boolean) => Promise<T>,
): Promise<T> {
  const lacksAddress = db.prepare('SELECT 1 FROM fund WHERE url IS NULL').get() !== undefined
  if (!lacksAddress && !isDerivable(db, derive)) return read(db, false)
  const path = await file()
  try {
    await copyDatabase(path, db)
    changeCopy(path, (copy) => {
      writeDerived(copy, derive)
      const own = fundPages === '' ? "''" : "@fundPages || isin || '/'"
      copy.prepare(`UPDATE fund SET url = ${own} WHERE url IS NULL`).run({ fundPages })
    })
    const copy = openFunds(path)
    return await read(copy, true).finally(() => copy.close())
  } finally {
    rmSync(path, { force: true })
  }
}

/** The same for a program that looks at what a build would read. */
export async function readAsBuilt<T>(
  db: FundDatabase,
  additions: Additions,
  read: (db: FundDatabase) => Promise<T>,
): Promise<T> {
  let folder: string | undefined
  const file = async () => join((folder = await makeTemporaryFolder()), 'derived.sqlite')
  try {
    return await withDerived(db, additions, file, read)
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true })
  }
}
