/**
 * The encoding of a text file: UTF-8 and UTF-16 say themselves what they are. A file with one byte for a character does not;
 * it is read as Windows-1252 only where every encoding that makes words of its bytes makes the same words. Else the
 * command asks.
 */

import { isAscii, isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { readStart } from '../../core/system/read-start.ts'
import { oneByteEncodings } from '../../core/data/model/encodings.ts'
import { quoted } from '../../core/data/model/printable.ts'

/** One byte is one character. */
const oneByteNames = {
  'windows-1252': 'Windows-1252',
  'windows-1250': 'Windows-1250',
  'windows-1251': 'Windows-1251',
  'windows-1253': 'Windows-1253',
  'windows-1254': 'Windows-1254',
  'windows-1257': 'Windows-1257',
  'iso-8859-2': 'ISO 8859-2',
  'iso-8859-15': 'ISO 8859-15',
  macintosh: 'Mac Roman',
  cp850: 'CP850',
} as const satisfies Readonly<Record<(typeof oneByteEncodings)[number], string>>
type OneByte = keyof typeof oneByteNames

export const encodingNames = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  ...oneByteNames,
} as const
export type Encoding = keyof typeof encodingNames

/** What `--encoding` and `import.<table>.encoding` may name: UTF-16 says it itself, by its mark or its zeros. */
export const choosableEncodings = ['utf-8', ...oneByteEncodings] as const
export type ChoosableEncoding = (typeof choosableEncodings)[number]

/** The upper half. Windows-1252 is here because Node's own decoder has got it wrong in some versions. */
const upperHalves: Partial<Record<OneByte, string>> = {
  'windows-1252':
    '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
    '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178' +
    Array.from({ length: 96 }, (_, index) => String.fromCharCode(160 + index)).join(''),
  // What hosts and MS-DOS programs in Western Europe write. Source: Unicode, CP850.TXT.
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´' +
    '\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
}

const upperHalfOf = (encoding: OneByte): string =>
  upperHalves[encoding] ??
  new TextDecoder(encoding).decode(Uint8Array.from({ length: 128 }, (_, index) => 128 + index))

function oneByteDecoder(encoding: OneByte): (bytes: Buffer) => string {
  const upper = upperHalfOf(encoding)
  return (bytes) =>
    bytes.toString('latin1').replace(/[\u0080-\u00ff]/g, (letter) => upper.charAt(letter.charCodeAt(0) - 128))
}

/** Decodes a file, one piece after the other. */
export function decoderOf(encoding: Encoding): (bytes: Buffer) => string {
  if (encoding in oneByteNames) return oneByteDecoder(encoding as OneByte)
  const decoder = new TextDecoder(encoding)
  return (bytes) => decoder.decode(bytes, { stream: true })
}

export async function* chunksOf(
  file: string,
  onBytes: (count: number) => void,
  chunkBytes = 1 << 20,
): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
    onBytes(chunk.length)
    yield chunk
  }
}

interface EncodingAnswer {
  /** By a flag: for this file. */
  readonly asked: ChoosableEncoding | undefined
  /** By the config: for files that do not say themselves what they are. */
  readonly configured: ChoosableEncoding | undefined
  readonly table: string
}

/**
 * The encoding of a file, from all of its bytes.
 * @throws {Error} if it has none of them, could have several, or not the one that was asked for
 */
export async function readEncoding(
  file: string,
  { asked, configured, table }: EncodingAnswer,
  onBytes: (count: number) => void,
): Promise<Encoding> {
  const wide = wideEncodingOf(readStart(file, wideStart))
  if (wide !== undefined) return readWide(file, wide.encoding, asked, onBytes)
  const { nul, broken, sequence, firstLines, words } = await lookAtBytes(file, onBytes)
  const refusal = (line: number, what: string) => new Error(`${file}, line ${line}: it is ${what}`)
  // Further down a NUL is a character that a line should not have, like others.
  if (nul === 1) throw refusal(1, 'not text: save it as CSV in UTF-8 (it may be UTF-32, or a workbook)')
  if (asked === 'utf-8' && broken !== undefined) throw refusal(broken, 'not UTF-8: give another --encoding')
  if (broken === undefined) {
    if (asked === undefined || asked === 'utf-8' || sequence === undefined) return 'utf-8'
    throw refusal(sequence, `UTF-8, not ${encodingNames[asked]}: leave --encoding out`)
  }
  const wanted = asked ?? configured
  if (wanted !== undefined && wanted !== 'utf-8') {
    const unknown = unknownByte(wanted, firstLines)
    if (unknown === undefined) return wanted
    throw refusal(unknown.line, `not ${encodingNames[wanted]}: it has no character ${hex(unknown.byte)}`)
  }
  if (sequence !== undefined) {
    const others = `though other parts of the file are (the first in line ${sequence})`
    throw refusal(broken, `not UTF-8, ${others}: fix it, or name the encoding with --encoding`)
  }
  const open = whatIsOpen(words, [...firstLines.keys()])
  if (open === null) return 'windows-1252'
  throw refusal(
    broken,
    `not UTF-8, and its bytes do not say what it is. ${open}. Choose one with --encoding, or for all files of ` +
      `the table with import.${table}.encoding in the config`,
  )
}

/** @param firstLines lines by byte @returns the first byte that is no character of the encoding */
function unknownByte(encoding: OneByte, firstLines: ReadonlyMap<number, number>) {
  const upper = upperHalfOf(encoding)
  for (const [byte, line] of firstLines) if (isUndefined(upper.charAt(byte - 128))) return { byte, line }
  return undefined
}

const hex = (byte: number) => `0x${byte.toString(16).toUpperCase()}`
const isUndefined = (character: string) => /[\u0080-\u009f\ufffd]/.test(character)

/** @returns null if Windows-1252 fits, and all that fit have the same characters for the bytes of the file; else what fits */
function whatIsOpen(words: ReadonlySet<string>, bytes: readonly number[]): string | null {
  const fitting = fittingEncodings(words)
  const uppers = fitting.map(upperHalfOf)
  const isOne = bytes.every((byte) => new Set(uppers.map((upper) => upper.charAt(byte - 128))).size === 1)
  return isOne && fitting.includes('windows-1252') ? null : readings(fitting, words)
}

const letter = String.raw`[\p{Ll}\p{Lu}]`
/** What words do not have: patterns of texts with characters beyond ASCII. */
const unlikely: readonly RegExp[] = [
  // A control code, or nothing at all; parts of frames on the screen of a terminal; ligatures, and the sign of guilders.
  /[\u0080-\u009f\ufffd\u2500-\u25ff\ufb00-\ufb06\u0192]/v,
  // A sign inside a word or a number. Apostrophes and dashes are none, and a blank is one that spreadsheets write.
  new RegExp(
    String.raw`(?<=[\p{Ll}\p{Lu}\p{Nd}])[^\p{Ll}\p{Lu}\p{Nd}\x00-\x7f\xa0\u2019\u2013](?=[\p{Ll}\p{Lu}\p{Nd}])`,
    'v',
  ),
  // A sign of arithmetic, a raised figure or an accent alone, before a letter.
  new RegExp(String.raw`[[\p{Sm}\p{Sk}\p{Lm}\p{No}\u2030]--[\x00-\x7f]]${letter}`, 'v'),
  // A capital letter behind small ones, or between a capital and a small one.
  new RegExp(String.raw`\p{Ll}[\p{Lu}--[A-Z]]|[\p{Ll}--[a-z]]\p{Lu}|\p{Lu}[\p{Lu}--[A-Z]]\p{Ll}`, 'v'),
  // Two alphabets in one word.
  /[\p{Script=Latin}][\p{Script=Greek}\p{Script=Cyrillic}]|[\p{Script=Greek}\p{Script=Cyrillic}][\p{Script=Latin}]/v,
  // French has a word à, and prices have a sign €. Elsewhere letters stand at their bytes, none of which is a word: but one before
  // a point may be a short form, and all others may be the letter of a share class.
  new RegExp(String.raw`(?<!${letter})[ŕąΰÓÄÇЂ](?!${letter}|\.)`, 'v'),
]
/**
 * In Portuguese, which is the only language of CP850 that has it, `õ` stands before an e. A word with such a beginning is no word of
 * a language that has `Í`, and German has it with `Ö`, the same byte in Windows-1252: Österreich, Öko, Öl, Öffentlich, Örtlich.
 */
const unlikelyInCp850 = /õ(?!e)|(?<!\p{L})Í(?:ster|ko|l(?!h)|ff[en]|rtl)/u

/** Quotation marks that open and close: a file has both or none. */
const pairs = [
  { open: '‹', close: '›' },
  { open: '«', close: '»' },
]
const hasAny = (texts: readonly string[], mark: string) => texts.some((text) => text.includes(mark))

/** @param words as Latin-1 @returns the encodings in which all of them look like words */
function fittingEncodings(words: ReadonlySet<string>): readonly OneByte[] {
  return oneByteEncodings.filter((encoding) => {
    const decode = oneByteDecoder(encoding)
    const texts = [...words].map((word) => decode(Buffer.from(word, 'latin1')))
    return (
      texts.every((text) => !unlikely.some((one) => one.test(text))) &&
      pairs.every(({ open, close }) => hasAny(texts, open) === hasAny(texts, close)) &&
      !(encoding === 'cp850' && texts.some((text) => unlikelyInCp850.test(text)))
    )
  })
}

/** Shows two words as each encoding has them, those first in which all words of the file look like words. */
function readings(fitting: readonly OneByte[], words: ReadonlySet<string>): string {
  const shown = [...words].slice(0, 2).map((word) => Buffer.from(word, 'latin1'))
  const all = [...fitting, ...oneByteEncodings.filter((one) => !fitting.includes(one))].map((encoding) => {
    const texts = shown.map(oneByteDecoder(encoding))
    return { encoding, texts: texts.map(quoted).join(' '), isRight: !texts.some(isUndefined) }
  })
  const byTexts = Map.groupBy(
    all.filter(({ isRight }) => isRight),
    ({ texts }) => texts,
  )
  const lines = [...byTexts].map(
    ([texts, some]) => `${texts} (${some.map(({ encoding }) => encoding).join(', ')})`,
  )
  return `It may be read as ${lines.join(', ')}; if none of these is right, save it as UTF-8`
}

interface Wide {
  readonly encoding: 'utf-16le' | 'utf-16be'
  /** Absent: its zeros say what it is. */
  readonly isMarked: boolean
}

/**
 * UTF-16 is known by the mark at its beginning, as Excel writes it (Unicode text). Without one, it is known by its zeros: of letters and
 * digits that Europe writes, every other byte is zero, and no other encoding of a text has such a byte.
 * @param start of a file, 4096 bytes at most
 */
export function wideEncodingOf(start: Buffer): Wide | undefined {
  const mark = start.toString('hex', 0, 2)
  if (mark === 'fffe') return { encoding: 'utf-16le', isMarked: true }
  if (mark === 'feff') return { encoding: 'utf-16be', isMarked: true }
  const bytes = start.subarray(0, wideStart)
  let even = 0
  let odd = 0
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) {
    if (at % 2 === 0) even++
    else odd++
  }
  const most = (bytes.length / 2) * shareOfZeros
  if (odd >= most && odd > 1 && even === 0) return { encoding: 'utf-16le', isMarked: false }
  return even >= most && even > 1 && odd === 0 ? { encoding: 'utf-16be', isMarked: false } : undefined
}

const wideStart = 4096
/** Some characters have no zero, as the sign of the euro. */
const shareOfZeros = 0.9

/** @throws {Error} that names the line of a broken character, which is decoded to U+FFFD */
async function readWide(
  file: string,
  encoding: Wide['encoding'],
  asked: ChoosableEncoding | undefined,
  onBytes: (count: number) => void,
): Promise<Encoding> {
  if (asked !== undefined) throw new Error(`${file}, line 1: it is UTF-16: leave --encoding out`)
  const decoder = new TextDecoder(encoding)
  let line = 1
  const look = (text: string): void => {
    const broken = /[\0\ufffd]/.exec(text)
    const before = broken === null ? text : text.slice(0, broken.index)
    line += before.split('\n').length - 1
    if (broken !== null) throw new Error(`${file}, line ${line}: it is not UTF-16, as its first bytes say`)
  }
  for await (const chunk of chunksOf(file, onBytes)) look(decoder.decode(chunk, { stream: true }))
  look(decoder.decode())
  return encoding
}

/** What stands at a word without a blank belongs to it: its neighbours tell whether it is one. */
const betweenWords = /[ \t\r;,|"]+/
/** Names repeat. More words than these tell nothing new, unless they have bytes that no other has. */
const mostWords = 20_000

/**
 * The lines, from 1, in which something is first seen: `broken` is not UTF-8, `sequence` a character of several bytes that
 * is right UTF-8, `firstLines` each byte beyond ASCII; and the words with such bytes, as Latin-1.
 */
async function lookAtBytes(file: string, onBytes: (count: number) => void) {
  const seen: Partial<Record<'nul' | 'broken' | 'sequence', number>> = {}
  const firstLines = new Map<number, number>()
  const words = new Set<string>()
  let line = 1
  const lookAtWords = (bytes: Buffer): void => {
    let hasNewByte = false
    for (const byte of bytes) {
      if (byte < 128 || firstLines.has(byte)) continue
      firstLines.set(byte, line)
      hasNewByte = true
    }
    if (words.size >= mostWords && !hasNewByte) return
    for (const word of bytes.toString('latin1').split(betweenWords))
      if (/[\u0080-\u00ff]/.test(word)) words.add(word)
  }
  const lookAtLine = (bytes: Buffer): void => {
    if (bytes.includes(0)) seen.nul ??= line
    if (isAscii(bytes)) return
    const isWhole = isUtf8(bytes)
    if (!isWhole) seen.broken ??= line
    // U+FFFD is what a broken character is decoded to.
    const hasRight = isWhole || /[^\0-\x7f\ufffd]/.test(bytes.toString()) || bytes.includes('\ufffd')
    if (hasRight) seen.sequence ??= line
    // Words of UTF-8 need no encoding.
    if (!isWhole || seen.broken !== undefined) lookAtWords(bytes)
  }
  const look = (bytes: Buffer): void => {
    // Most files of prices are ASCII: there is nothing to look at line by line.
    const isPlain = isAscii(bytes) && !bytes.includes(0)
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      if (!isPlain) lookAtLine(bytes.subarray(start, end))
      line++
      start = end + 1
    }
    if (!isPlain) lookAtLine(bytes.subarray(start))
  }
  let rest = Buffer.alloc(0)
  for await (const chunk of chunksOf(file, onBytes)) {
    const bytes = Buffer.concat([rest, chunk])
    // The last character may be cut: it begins at the last byte that does not continue another one. It has at most four.
    const start = Math.max(0, bytes.length - 4)
    const last = bytes.subarray(start).findLastIndex((byte) => (byte & 0xc0) !== 0x80)
    const cut = last < 0 ? bytes.length : start + last
    look(bytes.subarray(0, cut))
    rest = bytes.subarray(cut)
  }
  look(rest)
  return { ...seen, firstLines, words }
}
