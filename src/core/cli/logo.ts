/** Reads, checks and measures the logo of the settings, before anything is built. */

import { readFileSync, type Stats, statSync } from 'node:fs'
import type { Logo } from '../api/contract/page.ts'
import { UsageError } from './failure.ts'

const maxBytes = 100_000
/** A larger image costs readers time for 28 pixels of height. */
const maxPixels = 4096

/** @throws {UsageError} if the file cannot be read, is too large, is neither SVG nor PNG, or could run a script */
export function readLogo(file: string): Logo {
  const refuse = (why: string, options?: ErrorOptions) =>
    new UsageError(`site.logo is ${file}: ${why}`, options)
  let [found, content]: [Stats?, Buffer?] = []
  try {
    found = statSync(file)
    // Reading a device may never end.
    if (found.isFile() && found.size <= maxBytes) content = readFileSync(file)
  } catch (cause) {
    throw refuse('it cannot be read', { cause })
  }
  if (!found.isFile()) throw refuse('it is not a file')
  if (content === undefined) throw refuse(`it has ${found.size} bytes, and may have ${maxBytes} at most`)
  const isPng = content.subarray(0, 8).equals(pngStart)
  const size = isPng ? sizeOfPng(content) : sizeOfSvg(content.toString('utf8'))
  if (typeof size === 'string') throw refuse(size)
  const [width, height] = size
  if (!(width >= 1 && height >= 1 && width <= maxPixels && height <= maxPixels))
    throw refuse(`it is ${width} x ${height} pixels large: width and height must be from 1 to ${maxPixels}`)
  return {
    key: `docs/assets/logo.${isPng ? 'png' : 'svg'}`,
    width,
    height,
    content: content.toString('base64'),
  }
}

type Size = readonly [width: number, height: number]

/** Source: PNG specification, signature and IHDR. */
const pngStart = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

const sizeOfPng = (content: Buffer): Size | string =>
  content.length >= 24 && content.toString('latin1', 12, 16) === 'IHDR'
    ? [content.readUInt32BE(16), content.readUInt32BE(20)]
    : 'it is a damaged PNG file'

/** Parts that could harm a reader who opens the file itself, in text with single blanks. An image in a page runs nothing. */
const forbidden: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/<!DOCTYPE|<!ENTITY/i, 'a document type'],
  [/<\?xml-stylesheet/i, 'a style sheet'],
  [/<(?:[\w.-]+:)?(?:script|handler|listener)\b/i, 'a script'],
  [/<(?:[\w.-]+:)?(?:foreignObject|iframe|object|embed|audio|video)\b/i, 'a foreign element'],
  [/[ "'/]on[a-z]+ ?=/i, 'an event handler'],
  [/attributeName ?= ?["'] ?(?:[\w.-]+:)?(?:href|on)/i, 'an animated link'],
  [/href ?=(?! ?["'] ?(?:#|data:image\/(?:png|jpeg|gif|webp);base64,))/i, 'a link'],
  [/url\((?! ?["']? ?#)|@import/i, 'an address'],
]

function sizeOfSvg(content: string): Size | string {
  const text = content.replace(/\s+/g, ' ')
  const root = /^ ?(?:<\?xml[^>]*\?> ?)?(?:<!--[^]*?--> ?)*<svg\b([^>]*)>/.exec(text)?.[1]
  if (root === undefined) return 'it is neither an SVG file nor a PNG file'
  if (!/ xmlns ?= ?["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(root))
    return 'its svg element has no xmlns="http://www.w3.org/2000/svg"'
  // A reference could hide a forbidden part.
  if (/&(?!amp;|lt;|gt;|quot;|apos;)/.test(text)) return 'it has character references: save it as plain SVG'
  const found = forbidden.find(([pattern]) => pattern.test(text))
  if (found !== undefined) return `it has ${found[1]}, which a logo must not have: save it as plain SVG`
  const value = (name: string) => new RegExp(` ${name} ?= ?["'] ?([\\d.]+)(?:px)? ?["']`).exec(root)?.[1]
  const box = / viewBox ?= ?["'] ?[-\d.]+[ ,]+[-\d.]+[ ,]+([\d.]+)[ ,]+([\d.]+) ?["']/.exec(root)
  const width = box?.[1] ?? value('width')
  const height = box?.[2] ?? value('height')
  if (width === undefined || height === undefined)
    return 'its svg element has no viewBox, and no width and height in pixels'
  return [Number(width), Number(height)]
}
