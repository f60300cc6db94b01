/** The registry of formats: all that the downloads consist of. A new format is a file in this folder and a line here. */

import { moduleBeside } from '../../system/start-thread.ts'
import { csvForExcel } from './csv-excel.ts'
import { csv } from './csv.ts'
import { emtCsv } from './emt.ts'
import type { DownloadFormat } from './format.ts'
import { fundFiles } from './fund-files.ts'
import { parquet } from './parquet.ts'
import { sqlite } from './sqlite.ts'

/** Threads begin them in this order. */
export const downloadFormats: readonly DownloadFormat[] = [
  csv,
  csvForExcel,
  emtCsv,
  fundFiles,
  parquet,
  sqlite,
]

/** The address of this module. Threads load a registry on their own, because functions cannot be sent to them. */
export const allFormats = moduleBeside(import.meta.url, './index')

/** @param module the address of a module with a registry like this one */
export async function loadFormats(module: string): Promise<readonly DownloadFormat[]> {
  return ((await import(module)) as { readonly downloadFormats: readonly DownloadFormat[] }).downloadFormats
}
