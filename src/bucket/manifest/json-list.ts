/** A list in a JSON document that can be larger than memory: a file keeps it until the fields before it are known. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lineWriter } from './ndjson.ts'

export interface JsonList<T> {
  /** @returns a promise to wait for before adding much more @throws {Error} naming the file if it is lost */
  readonly add: (entry: T) => Promise<void> | undefined
  /** Ends the list and writes it as a field of an object, between others, as JSON.stringify would. */
  readonly write: (send: (text: string) => void, field: JsonField) => Promise<void>
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
        write: async (send, { before, name, after = {} }) => {
          await end()
          const text = (value: unknown) => JSON.stringify(value)
          const start = [text(before).slice(1, -1), `${text(name)}:[`].filter((part) => part !== '')
          send(`{${start.join(',')}`)
          let comma = ''
          for await (const entry of read()) {
            send(comma + text(entry))
            comma = ','
          }
          const rest = text(after).slice(1)
          send(`]${rest === '}' ? '' : ','}${rest}\n`)
        },
      })
    } finally {
      // Without a write the file is still open.
      await end().catch(() => undefined)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
