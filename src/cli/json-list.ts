/** A list in a JSON document that can be longer than memory: kept in a file until what stands before it is known. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lineWriter } from '../publish/ndjson.ts'
import type { Terminal } from './terminal.ts'

export interface JsonList<T> {
  /** @returns a promise to wait for before much more is added @throws {Error} that names the file if it is lost */
  readonly add: (entry: T) => Promise<void> | undefined
  /** Ends the list, and writes it as an object's field between others, as JSON.stringify would. */
  readonly write: (terminal: Terminal, field: JsonField) => Promise<void>
}

export interface JsonField {
  readonly before: object
  readonly name: string
  readonly after?: object
}

export async function withJsonList<T extends object, R>(work: (list: JsonList<T>) => Promise<R>): Promise<R> {
  const folder = await mkdtemp(join(tmpdir(), 'fundpress-list-'))
  try {
    const { add, end, read } = lineWriter<T>(join(folder, 'list.ndjson.gz'))
    try {
      return await work({
        add,
        write: async (terminal, { before, name, after = {} }) => {
          await end()
          const text = (value: unknown) => JSON.stringify(value)
          const start = [text(before).slice(1, -1), `${text(name)}:[`].filter((part) => part !== '')
          terminal.data(`{${start.join(',')}`)
          let comma = ''
          for await (const entry of read()) {
            terminal.data(comma + text(entry))
            comma = ','
          }
          const rest = text(after).slice(1)
          terminal.data(`]${rest === '}' ? '' : ','}${rest}\n`)
        },
      })
    } finally {
      // Where nothing was written in the end, the file is still open.
      await end().catch(() => undefined)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
