/** A registry with one more format: the names of the funds, a line each. Threads import this file as it is. */
import { fileSink } from '../../src/downloads/file-sink.ts'
import { rowsOfTable, type RowsFormat } from '../../src/downloads/formats/format.ts'
import { downloadFormats as ownFormats } from '../../src/downloads/formats/index.ts'
import { tables } from '../../src/downloads/tables.ts'

const [funds] = tables.filter(({ name }) => name === 'funds')
if (funds === undefined) throw new Error('there is no table of funds')

const names: RowsFormat = {
  ...{ id: 'names', kind: 'rows', name: 'text', mediatype: 'text/plain', label: 'text' },
  pieces: (some) => [
    {
      name: 'names',
      row: 'names',
      describe: { en: 'Names, a line each', de: 'Namen, je eine Zeile' },
      rows: rowsOfTable(funds, some),
      resource: { encoding: 'utf-8' },
    },
  ],
  open: ({ folder }) => {
    const sink = fileSink(folder, 'names.txt')
    return {
      add: ({ rows }) => {
        for (const row of rows(funds)) sink.write(`${String(row[2])}\n`)
      },
      close: () => [{ ...sink.close(), piece: 'names' }],
    }
  },
}

export const downloadFormats = [...ownFormats, names]
