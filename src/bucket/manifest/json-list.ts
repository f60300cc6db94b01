/** A list in a JSON document that can be larger than memory: a file keeps it until the fields before it are known. */

import { join } from 'node:path'
import { withFolder } from '../store/files.ts'
import { lineWriter } from './ndjson.ts'

export interface JsonList<T> {
  /** @returns a promise to wait for before adding much more @throws {Error} naming the file if it is lost */
  readonly add: (entry: T) => Promise<void> | undefined
  /** Ends the list and writes it as a field of an object, between others, as JSON.stringify would. */
  readonly write: (
    send: (text: string) => void,
    field: { readonly before: object; readonly name: string; readonly after?: object },
  ) => Promise<void>
}

export const withJsonList = <T extends object>(work: (list: JsonList<T>) => Promise<void>): Promise<void> =>
  withFolder(async (folder) => {
    const { add, end, read } = lineWriter<T>(join(folder, 'list.ndjson.gz'))
    const write: JsonList<T>['write'] = async (send, { before, name, after = {} }) => {
      await end()
      const start = [JSON.stringify(before).slice(1, -1), `${JSON.stringify(name)}:[`]
      send(`{${start.filter((part) => part !== '').join(',')}`)
      let comma = ''
      for await (const entry of read()) {
        send(comma + JSON.stringify(entry))
        comma = ','
      }
      const rest = JSON.stringify(after).slice(1)
      send(`]${rest === '}' ? '' : ','}${rest}\n`)
    }
    try {
      await work({ add, write })
    } finally {
      // Without a write the file is still open.
      await end().catch(() => undefined)
    }
  })
