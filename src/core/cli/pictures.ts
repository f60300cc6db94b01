/** Reads, checks and measures the pictures of the settings, before anything is built. */

import { readFileSync, type Stats, statSync } from 'node:fs'
import type { Picture } from '../api/contract/page.ts'
import { previewSize } from '../layout/pictures.ts'
import { UsageError } from './failure.ts'

const maxBytes = 100_000
/** A larger image costs readers time for 28 pixels of height. */
const maxPixels = 4096

/** The header of each page shows it. @throws {UsageError} if the file is neither SVG nor PNG, or could run a script */
export function readLogo(file: string): Picture {
  const { content, refuse } = readPicture('logo', file, maxBytes)
  const isPng = hasPngStart(content)
  const [width, height] = sizeIn(isPng ? sizeOfPng(content) : sizeOfSvg(content.toString('utf8')), refuse)
  if (!(width >= 1 && height >= 1 && width <= maxPixels && height <= maxPixels))
    throw refuse(`it is ${width} x ${height} pixels large: width and height must be from 1 to ${maxPixels}`)
  return pictureOf(`logo.${isPng ? 'png' : 'svg'}`, content, width, height)
}

/** For tabs of browsers, bookmarks and home screens. @throws {UsageError} if the file is no square PNG */
export function readIcon(file: string): Picture {
  const { content, refuse } = readPicture('icon', file, maxBytes)
  const [width, height] = sizeIn(sizeOfPng(content), refuse)
  if (width !== height || width < iconPixels.least || width > iconPixels.most) {
    const expected = `it must be square, with ${iconPixels.least} to ${iconPixels.most} pixels a side`
    throw refuse(`it is ${width} x ${height} pixels large: ${expected}`)
  }
  return pictureOf('icon.png', content, width, height)
}

/** For previews of links. @throws {UsageError} if the file is no PNG of the size that chats and social networks expect */
export function readPreview(file: string): Picture {
  const { content, refuse } = readPicture('preview', file, 3 * maxBytes)
  const [width, height] = sizeIn(sizeOfPng(content), refuse)
  if (width !== previewSize.width || height !== previewSize.height) {
    const expected = `it must have ${previewSize.width} x ${previewSize.height}`
    throw refuse(`it is ${width} x ${height} pixels large: ${expected}`)
  }
  return pictureOf('preview.png', content, width, height)
}

/** Home screens show 180 pixels. */
const iconPixels = { least: 180, most: 512 }

type Refuse = (why: string, options?: ErrorOptions) => UsageError

/** @param name of the setting @throws {UsageError} if the file cannot be read, or is too large */
function readPicture(name: string, file: string, most: number) {
  const refuse: Refuse = (why, options) => new UsageError(`site.${name} is ${file}: ${why}`, options)
  let [found, content]: [Stats?, Buffer?] = []
  try {
    found = statSync(file)
    // Reading a device may never end.
    if (found.isFile() && found.size <= most) content = readFileSync(file)
  } catch (cause) {
    throw refuse('it cannot be read', { cause })
  }
  if (!found.isFile()) throw refuse('it is not a file')
  if (content === undefined) throw refuse(`it has ${found.size} bytes, and may have ${most} at most`)
  return { content, refuse }
}

function sizeIn(size: Size | string, refuse: Refuse): Size {
  if (typeof size === 'string') throw refuse(size)
  return size
}

const pictureOf = (name: string, content: Buffer, width: number, height: number): Picture => ({
  key: `docs/assets/${name}`,
  width,
  height,
  content: content.toString('base64'),
})

type Size = readonly [width: number, height: number]

/** Source: PNG specification, signature and IHDR. */
const pngStart = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

const hasPngStart = (content: Buffer) => content.subarray(0, 8).equals(pngStart)

function sizeOfPng(content: Buffer): Size | string {
  if (!hasPngStart(content)) return 'it is not a PNG file'
  return content.length >= 24 && content.toString('latin1', 12, 16) === 'IHDR'
    ? [content.readUInt32BE(16), content.readUInt32BE(20)]
    : 'it is a damaged PNG file'
}

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
