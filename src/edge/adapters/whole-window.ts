/**
 * The records of a whole window as bytes, for windows in the middle of a range: they pass through without becoming text.
 * In JSON as they are; in XML the item keys count on. Why the marks cannot be forged: `encode/series.ts`.
 */

/** The bytes between the marks that open and close the list. @throws {Error} if it is no window */
export function recordsOf(window: Uint8Array, open: Uint8Array, close: Uint8Array): Uint8Array {
  let start = 0
  while (start < window.length && !isAt(window, start, open)) start++
  let end = window.length - close.length
  while (end >= start && !isAt(window, end, close)) end--
  if (end < start + open.length) throw new Error('not a window')
  return window.subarray(start + open.length, end)
}

/**
 * The same records, whose keys count from 0, with the keys from `before` on. What is between two keys is copied as it is.
 * @param mark what a record starts with, up to its key: ends with a quotation mark, which few other bytes are
 * @param count how many records there are
 * @throws {Error} if there are more or fewer
 */
export function renumber(
  records: Uint8Array,
  mark: Uint8Array,
  before: number,
  count: number,
): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(records.length + count * String(before + count).length)
  let written = 0
  let copied = 0
  let at = 0
  // Records are of about the same length: most of one need not be searched for the next.
  let skipped = 0
  for (let index = 0; index < count; index++) {
    const from = at
    at = keyFrom(records, from + skipped, mark)
    // Whoever skipped a record finds another key than the next one.
    if (!isKey(records, at, index)) at = keyFrom(records, from, mark)
    if (!isKey(records, at, index)) throw new Error('not a window')
    out.set(records.subarray(copied, at), written)
    written = writeKey(out, written + at - copied, before + index)
    copied = at + String(index).length
    if (index > 0) skipped = Math.floor((at - from) * 0.9)
  }
  if (keyFrom(records, at, mark) >= 0) throw new Error('not a window')
  out.set(records.subarray(copied), written)
  return out.subarray(0, written + records.length - copied)
}

/** How many decimal digits the numbers from `first` on have together. */
export function digitsOf(first: number, count: number): number {
  let digits = count
  for (let power = 10; power < first + count; power *= 10) digits += first + count - Math.max(first, power)
  return digits
}

const quote = 0x22

/** Where the next key begins, or -1: the search is for its quotation mark, which the runtime does fast. */
function keyFrom(bytes: Uint8Array, from: number, mark: Uint8Array): number {
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    if (isAt(bytes, at + 1 - mark.length, mark)) return at + 1
  }
  return -1
}

/** Whether this number stands there, and no longer one. */
function isKey(bytes: Uint8Array, at: number, value: number): boolean {
  const digits = String(value)
  for (let index = 0; index < digits.length; index++) {
    if (bytes[at + index] !== digits.charCodeAt(index)) return false
  }
  return at >= 0 && bytes[at + digits.length] === quote
}

/** Writes its decimal digits. @returns the place after them */
function writeKey(bytes: Uint8Array, at: number, value: number): number {
  const digits = String(value)
  for (let index = 0; index < digits.length; index++) bytes[at + index] = digits.charCodeAt(index)
  return at + digits.length
}

function isAt(bytes: Uint8Array, at: number, pattern: Uint8Array): boolean {
  for (let index = 0; index < pattern.length; index++) {
    if (bytes[at + index] !== pattern[index]) return false
  }
  return true
}
