import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../system/temporary.ts'
import { changeCopy, copyDatabase } from '../read/copy.ts'
import { openFunds, type FundDatabase } from '../read/open.ts'
import type { DeriveModes } from './modes.ts'
import { isDerivable, writeDerived } from './write.ts'

/**
 * Has a database read whose figures are derived: itself if nothing is to be derived, else a copy as its transaction sees it, which is
 * gone afterwards. @param file of the copy
 */
export async function withDerived<T>(
  db: FundDatabase,
  modes: DeriveModes,
  file: () => string | Promise<string>,
  read: (db: FundDatabase, isCopy: boolean) => Promise<T>,
): Promise<T> {
  if (!isDerivable(db, modes)) return read(db, false)
  const path = await file()
  try {
    await copyDatabase(path, db)
    changeCopy(path, (copy) => writeDerived(copy, modes))
    const copy = openFunds(path)
    return await read(copy, true).finally(() => copy.close())
  } finally {
    rmSync(path, { force: true })
  }
}

/** The same for a program that looks at what a build would read. */
export async function readAsBuilt<T>(
  db: FundDatabase,
  modes: DeriveModes,
  read: (db: FundDatabase) => Promise<T>,
): Promise<T> {
  let folder: string | undefined
  const file = async () => join((folder = await makeTemporaryFolder()), 'derived.sqlite')
  try {
    return await withDerived(db, modes, file, read)
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true })
  }
}
