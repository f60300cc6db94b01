/** Pictures that no page shows: the icon for home screens, and the picture for previews of links. PNG, since neither takes SVG. */

import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Page, Publisher } from '../api/contract/page.ts'

export const iconKey = 'docs/assets/icon.svg'
export const pngIconKey = 'docs/assets/icon.png'
export const previewKey = 'docs/assets/preview.png'

/** Source: The Open Graph protocol leaves it open; chats and social networks cut to 1.91:1. In pixels. */
export const previewSize = { width: 1200, height: 630 } as const

/** The company's own, or ours in its colour. @param colour `#rrggbb` */
export function pictures(
  { icon = null, preview = null }: Partial<Publisher>,
  colour: string,
): readonly Page[] {
  const own = (content: string) => Buffer.from(content, 'base64')
  return [
    { key: pngIconKey, content: icon === null ? coloured('icon.png', colour) : own(icon.content) },
    { key: previewKey, content: preview === null ? coloured('preview.png', colour) : own(preview.content) },
  ]
}

/**
 * A template in a colour. Its pixels are sixteen steps from the colour to white, so only the palette changes: nothing is
 * compressed, and every version of Node makes the same bytes.
 */
function coloured(name: string, colour: string): Uint8Array {
  const png = readFileSync(new URL(`../../../templates/pages/${name}`, import.meta.url))
  // Source: PNG specification: length, type, content and checksum of each chunk.
  const start = png.indexOf('PLTE')
  const length = png.readUInt32BE(start - 4)
  const palette = png.subarray(start + 4, start + 4 + length)
  for (const [place] of palette.entries()) {
    const step = Math.floor(place / 3) / (length / 3 - 1)
    const channel = (place % 3) * 2 + 1
    const value = Number.parseInt(colour.slice(channel, channel + 2), 16)
    palette[place] = Math.round(value + (255 - value) * step)
  }
  png.writeUInt32BE(crc32(png.subarray(start, start + 4 + length)), start + 4 + length)
  return png
}
