/** Files of the downloads: written in order, in large pieces, hashed on the way. */

import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A file that is there. */
export interface WrittenFile {
  /** Relative to the folder of the downloads. */
  readonly path: string
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
  /** Of a table: the header is none. */
  readonly rows?: number
}

export interface FileSink {
  /** How many bytes have been taken. */
  readonly bytes: () => number
  readonly write: (content: string | Uint8Array) => void
  readonly close: () => WrittenFile
}

/** Text is held back up to this many characters: a system call and a piece of hashing for each row would take longer. */
const heldBack = 1 << 18

/** Opens a new file. @param path relative to the folder @throws {Error} if there is one already */
export function fileSink(folder: string, path: string): FileSink {
  const place = join(folder, path)
  mkdirSync(dirname(place), { recursive: true })
  const file = openSync(place, 'wx')
  const sha256 = createHash('sha256')
  let text = ''
  let bytes = 0
  const put = (content: Uint8Array) => {
    sha256.update(content)
    for (let done = 0; done < content.length;) done += writeSync(file, content, done, content.length - done)
    bytes += content.length
  }
  const flush = () => {
    if (text !== '') put(Buffer.from(text))
    text = ''
  }
  return {
    bytes: () => {
      flush()
      return bytes
    },
    write: (content) => {
      if (typeof content === 'string') {
        text += content
        if (text.length > heldBack) flush()
        return
      }
      flush()
      put(content)
    },
    close: () => {
      flush()
      closeSync(file)
      return { path, bytes, sha256: sha256.digest('hex') }
    },
  }
}

/** Writes a small file. */
export function writeFile(folder: string, path: string, content: string): WrittenFile {
  const sink = fileSink(folder, path)
  sink.write(content)
  return sink.close()
}

/** What another library has written. */
export function fileThere(folder: string, path: string): WrittenFile {
  const file = openSync(join(folder, path), 'r')
  const sha256 = createHash('sha256')
  const buffer = Buffer.allocUnsafe(1 << 20)
  let bytes = 0
  for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
    sha256.update(buffer.subarray(0, read))
    bytes += read
  }
  closeSync(file)
  return { path, bytes, sha256: sha256.digest('hex') }
}
