/** The registry of formats: all that the downloads consist of. A new format is a file in this folder and a line here. */

import { csvForExcel } from './csv-excel.ts'
import { csv } from './csv.ts'
import { excel } from './excel.ts'
import type { DownloadFormat } from './format.ts'
import { fundFiles } from './fund-files.ts'
import { fundsxml } from './fundsxml.ts'
import { openfunds } from './openfunds.ts'
import { parquet } from './parquet.ts'
import { sqlite } from './sqlite.ts'

/** Threads begin them in this order. */
export const downloadFormats: readonly DownloadFormat[] = [
  csv,
  excel,
  csvForExcel,
  fundFiles,
  fundsxml,
  openfunds,
  parquet,
  sqlite,
]
