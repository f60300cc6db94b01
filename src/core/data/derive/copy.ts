import { changeCopy, copyDatabase } from '../read/copy.ts'
import { openFunds, type FundDatabase } from '../read/open.ts'
import { deriveAgain } from './derived.ts'

/** A copy of a database as its transaction sees it, with figures that are derived from the corporate actions of now. @param file of the copy */
export async function copyDerived(file: string, db: FundDatabase): Promise<FundDatabase> {
  await copyDatabase(file, db)
  changeCopy(file, deriveAgain)
  return openFunds(file)
}
