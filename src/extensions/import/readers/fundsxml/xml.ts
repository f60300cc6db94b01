/**
 * Reads an XML file as a stream: the elements that a tree of {@link Element}s names become small records, and all others are passed
 * over. saxen finds the tags; this file gives it whole tags only, so that it never holds more than one of them, and knows the lines. What
 * could be an attack or a mistake of a program (a document type, an entity, a text without an end) is refused.
 */

import { isAscii, isUtf8 } from 'node:buffer'
import { Parser, type GetContext } from 'saxen'
import { quoted } from '../../../../core/data/model/printable.ts'
import { messageOf } from '../../../../core/system/message.ts'
import { readStart } from '../../../../core/system/read-start.ts'
import {
  choosableEncodings,
  chunksOf,
  decoderOf,
  encodingNames,
  type ChoosableEncoding,
  type Encoding,
} from '../../encoding.ts'

/** An element that is read. Texts are kept in the record of the nearest element above that has `ends`. */
export interface Element {
  /** Elements in it that are read. */
  readonly below?: Elements
  /** The name of its text in the record. Texts of several such elements are lines of one. */
  readonly text?: string
  /** An attribute: its value is a part of the text's name, as in `TotalValue EUR`. Of a mark, it is what is kept. */
  readonly by?: string
  /** A name in the record, under which the element's own name is kept: it tells which of several elements is there. */
  readonly mark?: string
  /** The record begins. */
  readonly begins?: () => void
  /** The record is complete. */
  readonly ends?: (record: Found) => void
  /** Why the element is not read, for the report. */
  readonly out?: string
}
export type Elements = Readonly<Record<string, Element>>

/** A record: the texts in an element. */
export interface Found {
  readonly texts: Record<string, string | undefined>
  /** The record that it lies in, which has the texts that stand before this one. */
  readonly outer: Found | undefined
  /** `line 1834, /FundsXML4/AssetMasterData/Asset` */
  readonly place: string
}

export interface XmlOptions {
  /** Counts in place of what the file says. */
  readonly encoding: ChoosableEncoding | undefined
  readonly onBytes: (count: number) => void
  readonly onLeftOut: (what: string, place: string) => void
}

const chunkBytes = 1 << 16
/** A tag, a text, a comment. */
const maxToken = 1 << 20
/** A document within the file, which nobody reads. */
const maxBinary = 1 << 26
const binary = 'BinaryData'
const maxDepth = 100
/** All texts of a record, with their names. */
const maxRecord = 1 << 22

/**
 * @param root by its name
 * @returns what the encoding is called
 * @throws {Error} that names file and line, if it is no such XML; or what a record throws
 */
export async function readXml(file: string, root: Elements, options: XmlOptions): Promise<string> {
  const { encoding, says } = encodingOf(file, options.encoding)
  const reader = xmlReader(file, root, options.onLeftOut)
  // What is UTF-16 becomes UTF-8 on the way: the end of a tag is one byte then.
  const isWide = encoding.startsWith('utf-16')
  const decode = decoderOf(isWide ? 'utf-8' : encoding)
  const check = (bytes: Buffer): void => {
    const fault = isAscii(bytes) ? undefined : faultIn(bytes, decode, encoding)
    if (fault !== undefined)
      throw new Error(`${file}, line ${reader.lineBehind(fault.before)}: it is ${fault.what}, ${says}`)
  }
  const bytes = Buffer.allocUnsafe(maxToken + 4 * chunkBytes)
  let kept = 0
  for await (const chunk of isWide
    ? narrowed(file, encoding, options.onBytes)
    : chunksOf(file, options.onBytes, chunkBytes)) {
    const total = kept + chunk.copy(bytes, kept)
    const end = bytes.lastIndexOf(62, total - 1) + 1
    if (end > 0) {
      const piece = bytes.subarray(0, end)
      check(piece)
      reader.write(decode(piece))
    }
    const rest = bytes.subarray(end, total)
    kept = rest.length > maxToken ? reader.passOver(rest.toString('latin1')) : rest.length
    rest.subarray(0, kept).copy(bytes)
  }
  const rest = bytes.subarray(0, kept)
  check(rest)
  reader.end(decode(rest))
  return encodingNames[encoding]
}

/** A file in UTF-16, as UTF-8. */
async function* narrowed(
  file: string,
  encoding: Encoding,
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  const decode = decoderOf(encoding)
  for await (const chunk of chunksOf(file, onBytes, chunkBytes)) yield Buffer.from(decode(chunk))
}

/** @returns the encoding, and where it is from: the end of a message */
function encodingOf(
  file: string,
  asked: ChoosableEncoding | undefined,
): { encoding: Encoding; says: string } {
  if (asked !== undefined) return { encoding: asked, says: `not ${encodingNames[asked]}, as --encoding says` }
  const start = readStart(file, 1024)
  const mark = marks.find(({ bytes }) => start.toString('hex').startsWith(bytes))
  const text = mark === undefined ? start.toString('latin1') : new TextDecoder(mark.encoding).decode(start)
  const [, declared] = /^<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]{1,40})["']/.exec(text) ?? []
  const label = declared?.toLowerCase()
  const refusal = (what: string) => new Error(`${file}, line 1: ${what}`)
  if (mark !== undefined) {
    const { encoding } = mark
    const says = `not ${encodingNames[encoding]}, as its first bytes say`
    if (label === undefined || label === 'utf-16' || label === encoding) return { encoding, says }
    const own = encodingNames[encoding]
    throw refusal(`its first bytes say that it is ${own}, and its declaration that it is ${quoted(label)}`)
  }
  if (start.subarray(0, 64).includes(0) || label?.startsWith('utf-16') === true)
    throw refusal('it is UTF-16 without a mark, or says so: save it with a mark, or as UTF-8')
  if (label === undefined) return { encoding: 'utf-8', says: 'not UTF-8, and does not say what it is' }
  const encoding = knownEncoding(label)
  if (encoding !== undefined)
    return { encoding, says: `not ${label}, as its first line says: name the right one with --encoding` }
  const known = ['utf-16', ...choosableEncodings].join(', ')
  throw refusal(`its encoding ${quoted(label)} is not read: only ${known} and iso-8859-1 are`)
}

const marks = [
  { bytes: 'efbbbf', encoding: 'utf-8' },
  { bytes: 'fffe', encoding: 'utf-16le' },
  { bytes: 'feff', encoding: 'utf-16be' },
] as const

function knownEncoding(label: string): ChoosableEncoding | undefined {
  try {
    const { encoding } = new TextDecoder(label)
    return choosableEncodings.find((each) => each === encoding)
  } catch {
    // The standard of the web has no such encoding.
    return undefined
  }
}

/** @returns the first fault of bytes that are not all ASCII: the text before it, and what they are */
function faultIn(
  bytes: Buffer,
  decode: (bytes: Buffer) => string,
  encoding: Encoding,
): { before: string; what: string } | undefined {
  const isRight = isUtf8(bytes)
  if (!encoding.startsWith('utf-'))
    // Texts of one byte a character never look like UTF-8 as a whole, unless they are.
    return isRight ? { before: decode(bytes).replace(/[^\0-\x7f][^]*/, ''), what: 'UTF-8' } : undefined
  // A damaged character of UTF-16 has become U+FFFD.
  if (isRight && !(encoding.startsWith('utf-16') && bytes.includes('\ufffd'))) return undefined
  return { before: bytes.toString().replace(/\ufffd[^]*/, ''), what: 'text of another encoding' }
}

/** An element of the tree, with what is asked often. */
interface Node extends Omit<Element, 'below'> {
  readonly tag: string
  readonly path: string
  readonly below: ReadonlyMap<string, Node>
  readonly isRecord: boolean
}

/** A record that is not complete. */
interface OpenRecord extends Found {
  readonly outer: OpenRecord | undefined
  /** Characters of its texts and their names. */
  size: number
}

function nodesOf(elements: Elements, path: string): ReadonlyMap<string, Node> {
  return new Map(
    Object.entries(elements).map(([name, { below = {}, ...element }]) => {
      const own = `${path}/${name}`
      const isRecord = element.ends !== undefined
      return [name, { ...element, tag: `<${name}`, path: own, below: nodesOf(below, own), isRecord }]
    }),
  )
}

function xmlReader(file: string, root: Elements, onLeftOut: XmlOptions['onLeftOut']) {
  const outside: Node = { tag: '', path: '', below: nodesOf(root, ''), isRecord: false }
  const above: Node[] = []
  let current = outside
  let record: OpenRecord | undefined
  /** The text of the current element; undefined if nobody wants it. */
  let text: string | undefined
  let textName = ''
  /** Elements that are open and not read. */
  let passed = 0
  let passedName = ''
  let hasRoot = false

  const lines = lineCounter()
  /** Characters that were given to the parser without an answer. */
  let quiet = 0
  let dropped = 0

  const refusal = (what: string, line = lines.here()) => new Error(`${file}, line ${line}: ${what}`)

  const checkRoot = (name: string, node: Node | undefined): void => {
    const tag = `<${name.slice(0, 80)}>`
    if (hasRoot) throw refusal(`a second root ${tag} begins behind the end of the first`)
    if (node === undefined)
      throw refusal(
        `its root is ${tag}, not ${Object.keys(root)
          .map((each) => `<${each}>`)
          .join(' or ')}`,
      )
    hasRoot = true
  }

  const open = (name: string, attributesOf: () => Readonly<Record<string, string>>): void => {
    quiet = 0
    if (passed > 0) {
      passed++
      if (passed + above.length > maxDepth) throw refusal(`elements lie in more than ${maxDepth} levels`)
      return
    }
    const node = current.below.get(name)
    if (current === outside) checkRoot(name, node)
    if (node === undefined || node.out !== undefined) {
      if (node?.out !== undefined) onLeftOut(node.out, placeOf(node))
      passed = 1
      passedName = name
      return
    }
    above.push(current)
    current = node
    if (node.text !== undefined) {
      text = ''
      textName = node.by === undefined ? node.text : `${node.text} ${attributesOf()[node.by] ?? ''}`
      return
    }
    if (node.mark !== undefined && record !== undefined)
      record.texts[node.mark] = node.by === undefined ? name : attributesOf()[node.by]
    if (!node.isRecord) {
      lines.reach(node.tag)
      return
    }
    record = { texts: {}, outer: record, place: placeOf(node), size: 0 }
    node.begins?.()
  }

  const placeOf = (node: Node) => {
    lines.reach(node.tag)
    return `line ${lines.here()}, ${node.path}`
  }

  const close = (_: string, __: (text: string) => string, isEmpty: boolean): void => {
    quiet = 0
    if (passed > 0) {
      passed--
      if (passed === 0 && !isEmpty) lines.reach(`</${passedName}`)
      dropped = 0
      return
    }
    if (text !== undefined) {
      keep(text.trim())
      text = undefined
    } else if (current.isRecord && record !== undefined) {
      const ended = record
      record = ended.outer
      current.ends?.(ended)
    }
    current = above.pop() ?? outside
  }

  const keep = (value: string): void => {
    if (record === undefined || value === '') return
    record.size += value.length + textName.length
    if (record.size > maxRecord)
      throw refusal(`an element above ${current.tag}> has more than ${maxRecord / 2 ** 20} MiB of texts`)
    const before = record.texts[textName]
    record.texts[textName] = before === undefined ? value : `${before}\n${value}`
  }

  /** Sections and comments may divide a text into any number of parts. */
  const append = (part: string): void => {
    if (text === undefined || passed > 0) return
    text += part
    if (text.length > maxToken) throw refusal(tooLong(`the text of ${current.tag}>`))
  }

  const parser = new Parser()
  parser.on('openTag', open)
  parser.on('closeTag', close)
  parser.on('text', (value, _, context) => {
    quiet = 0
    if (text === undefined || passed > 0) return
    append(value.includes('&') ? withoutEntities(value, (what) => refusal(what, lineOf(context))) : value)
  })
  parser.on('cdata', (value) => {
    quiet = 0
    append(value)
  })
  parser.on('comment', () => {
    quiet = 0
  })
  parser.on('question', () => {
    quiet = 0
  })
  parser.on('attention', (_, __, context) => {
    const advice = 'leave it out: entities are never read'
    throw refusal(`it has a document type (<!DOCTYPE), which FundsXML has not; ${advice}`, lineOf(context))
  })
  const lineOf = (context: GetContext) => lines.before() + context().line
  const fail = (error: Error, context: GetContext) => {
    throw refusal(`it is no right XML: ${messageOf(error)}`, lineOf(context))
  }
  parser.on('warn', fail)
  parser.on('error', fail)

  /** Gives the parser what ends with a tag. */
  const give = (piece: string): void => {
    lines.begin(piece)
    parser.write(piece)
    lines.end()
    quiet += piece.length
    if (quiet > 4 * maxToken) throw refusal(tooLong('a comment or a section'))
  }

  return {
    /** @param piece that ends with a tag */
    write: give,
    /**
     * A text, tag or comment goes on without an end. @returns how many of its characters are kept: none of a document, which is not read
     * @throws {Error} if it is too long
     */
    passOver: (rest: string): number => {
      const inText = passed > 0 ? `<${passedName}>` : `${current.tag}>`
      const isText = !rest.includes('<')
      if (!isText || passed !== 1 || passedName !== binary)
        throw refusal(tooLong(isText ? `the text of ${inText}` : 'a tag, a comment or a section'))
      dropped += rest.length
      if (dropped > maxBinary) throw refusal(`<${binary}> has more than ${maxBinary / 2 ** 20} MiB`)
      lines.begin(rest)
      lines.end()
      return 0
    },
    /** @throws {Error} if the root has no end */
    end: (rest: string): void => {
      if (rest.trim() !== '' && hasRoot && above.length === 0) throw refusal('text stands behind its end')
      lines.begin(rest)
      lines.end()
      if (hasRoot && above.length === 0) return
      if (!hasRoot) throw refusal('it has no element')
      throw refusal(
        `it ends within ${passed > 0 ? `<${passedName}>` : `${current.tag}>`}: it is not complete`,
      )
    },
    /** The line of a place behind all that was written. */
    lineBehind: (later: string) => lines.here() + newlinesIn(later),
  }
}

const tooLong = (what: string) => `${what} goes on for more than ${maxToken / 2 ** 20} MiB`

/** The line of a tag, as the parser reaches it. Pieces are searched once, from one tag that is asked for to the next. */
function lineCounter() {
  let line = 1
  let first = 1
  let piece = ''
  let at = 0
  const advance = (to: number) => {
    for (let next = piece.indexOf('\n', at); next >= 0 && next < to; next = piece.indexOf('\n', next + 1))
      line++
    at = to
  }
  return {
    begin: (next: string) => {
      piece = next
      at = 0
      first = line
    },
    end: () => advance(piece.length),
    /** @param tag `<Price` or `</Price`: the next one of this name */
    reach: (tag: string) => {
      let found = piece.indexOf(tag, at)
      while (found >= 0 && !endsName(piece.charCodeAt(found + tag.length)))
        found = piece.indexOf(tag, found + 1)
      if (found >= 0) advance(found + tag.length)
    },
    here: () => line,
    /** That in which the piece begins. */
    before: () => first,
  }
}

const newlinesIn = (text: string) => text.split('\n').length - 1

/** What may stand behind the name in a tag: a blank, the end, or the slash of an empty element. */
const endsName = (code: number) => code <= 32 || code === 62 || code === 47

const named = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['gt', '>'],
  ['lt', '<'],
  ['quot', '"'],
])

/** @throws {Error} for an entity that XML itself does not have */
function withoutEntities(text: string, refusal: (what: string) => Error): string {
  return text.replace(/&([^;&\s]{0,40};?)/g, (whole, inner: string) => {
    const name = inner.endsWith(';') ? inner.slice(0, -1) : ''
    const [, hex, decimal] = /^#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}))$/.exec(name) ?? []
    const code = hex === undefined ? Number(decimal ?? NaN) : parseInt(hex, 16)
    if (code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)) return String.fromCodePoint(code)
    const character = named.get(name)
    if (character === undefined) throw refusal(`${quoted(whole)} is an entity that XML does not have`)
    return character
  })
}
