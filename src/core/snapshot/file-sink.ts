/** Files of the downloads: written in order, in large pieces, hashed on the way. */

import { createHash, hash } from 'node:crypto'
import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface WrittenFile {
  /** Relative to the folder of the downloads. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  /** Rows of a table, without the header. */
  readonly rows?: number
  /** Parts that a later build can copy. */
  readonly parts?: readonly Part[]
}

export interface Part {
  /** Digest of rows, code and settings that the part was made from. */
  readonly from: string
  readonly at: number
  readonly bytes: number
  readonly rows: number
}

/** Characters or bytes that are buffered: a system call and a piece of hashing for each row would take longer. */
const heldBack = 1 << 18

/** Opens a new file. @param path relative to the folder @throws {Error} if there is one already */
export function fileSink(folder: string, path: string) {
  const place = join(folder, path)
  mkdirSync(dirname(place), { recursive: true })
  const file = openSync(place, 'wx')
  const sha256 = createHash('sha256')
  let text = ''
  const block = spareBlocks.pop() ?? Buffer.allocUnsafeSlow(heldBack)
  let held = 0
  let bytes = 0
  const put = (content: Uint8Array) => {
    sha256.update(content)
    for (let done = 0; done < content.length;) done += writeSync(file, content, done, content.length - done)
  }
  const flush = () => {
    if (text !== '') hold(Buffer.from(text))
    text = ''
  }
  const hold = (content: Uint8Array) => {
    bytes += content.length
    if (held + content.length > block.length) {
      put(block.subarray(0, held))
      held = 0
    }
    if (content.length > block.length) put(content)
    else {
      block.set(content, held)
      held += content.length
    }
  }
  return {
    /** How many bytes have been taken. */
    bytes: () => {
      flush()
      return bytes
    },
    write: (content: string | Uint8Array) => {
      if (typeof content === 'string') {
        text += content
        if (text.length > heldBack) flush()
        return
      }
      flush()
      hold(content)
    },
    close: (): WrittenFile => {
      flush()
      put(block.subarray(0, held))
      closeSync(file)
      spareBlocks.push(block)
      return { path, bytes, sha256: sha256.digest('hex') }
    },
  }
}

/** Of files that are closed: there are two for each fund. */
const spareBlocks: Buffer[] = []

export function writeFile(folder: string, path: string, content: string | Uint8Array): WrittenFile {
  const place = join(folder, path)
  const encoded = typeof content === 'string' ? Buffer.from(content) : content
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, encoded, { flag: 'wx' })
  return { path, bytes: encoded.length, sha256: hash('sha256', encoded, 'hex') }
}

/** A file that a library has written. */
export function fileThere(folder: string, path: string): WrittenFile {
  const file = openSync(join(folder, path), 'r')
  const { size } = fstatSync(file)
  const sha256 = digestOfOpen(file)
  closeSync(file)
  return { path, bytes: size, sha256 }
}

const readBlock = Buffer.allocUnsafeSlow(1 << 20)

/** SHA-256 of an open file that no program writes to, in hex. */
export function digestOfOpen(file: number): string {
  const sha256 = createHash('sha256')
  for (let at = 0; ;) {
    const read = readSync(file, readBlock, 0, readBlock.length, at)
    if (read === 0) return sha256.digest('hex')
    sha256.update(readBlock.subarray(0, read))
    at += read
  }
}
