/** Objects as files of a folder, found again after a restart: a line of JSON, then the body. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredObject } from './store.ts'

export interface Bodies {
  readonly found: readonly StoredObject[]
  /** @returns the object with a body that is read anew each time */
  readonly write: (object: StoredObject) => StoredObject
  readonly remove: (key: string) => void
}

export function openBodies(dir: string, bucket: string): Bodies {
  const folder = join(dir, bucket)
  mkdirSync(folder, { recursive: true })
  const fileOf = (key: string): string => join(folder, createHash('sha256').update(key).digest('hex'))
  const files = readdirSync(folder).filter((file) => !file.endsWith('.new'))
  return {
    found: files.map((file) => readObject(join(folder, file))),
    write: (object) => {
      const { body, ...rest } = object
      const file = fileOf(object.key)
      writeFileSync(`${file}.new`, Buffer.concat([Buffer.from(`${JSON.stringify(rest)}\n`), body]))
      renameSync(`${file}.new`, file)
      return withBodyIn(file, rest)
    },
    remove: (key) => {
      rmSync(fileOf(key))
    },
  }
}

function readObject(file: string): StoredObject {
  const bytes = readFileSync(file)
  const head = bytes.toString('utf8', 0, bytes.indexOf('\n'))
  return withBodyIn(file, JSON.parse(head) as Omit<StoredObject, 'body'>)
}

function withBodyIn(file: string, rest: Omit<StoredObject, 'body'>): StoredObject {
  return {
    ...rest,
    get body() {
      const bytes = readFileSync(file)
      return bytes.subarray(bytes.indexOf('\n') + 1)
    },
  }
}
