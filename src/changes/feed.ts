/**
 * The nights as an Atom feed, `changes/feed.xml`. Source: RFC 4287. Its bytes depend on nothing but the nights and the
 * address: what changed on a day is dated at the beginning of that day (UTC), whenever it was published.
 */

import { createHash } from 'node:crypto'
import type { History, Night } from './history.ts'

/**
 * @param baseUrl the address that the API is published at, without a closing slash
 * @param asOf the day of the snapshot, ISO 8601: the feed's own where there is no night
 */
export function atomFeed({ nights }: History, baseUrl: string, asOf: string): string {
  const self = `${baseUrl}/changes/feed.xml`
  const host = new URL(baseUrl).host
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    `<id>${idOf(self)}</id>`,
    `<title>What changed at ${escape(host)}</title>`,
    `<updated>${startOf(nights[0]?.asOf ?? asOf)}</updated>`,
    `<author><name>${escape(host)}</name></author>`,
    '<generator>fundpress</generator>',
    `<link rel="self" type="application/atom+xml" href="${escape(self)}"/>`,
    ...nights.map((night) => entry(night, `${baseUrl}/changes/${night.file}`)),
    '</feed>',
    '',
  ].join('\n')
}

/** A night that is published again with other data is another snapshot, so that readers show it again. */
function entry({ asOf, snapshot, title, lines }: Night, address: string): string {
  const html = `<ul>${lines.map((line) => `<li>${escape(line)}</li>`).join('')}</ul>`
  return [
    '<entry>',
    `<id>${idOf(`snapshot ${snapshot}`)}</id>`,
    `<title>${escape(title)}</title>`,
    `<updated>${startOf(asOf)}</updated>`,
    `<link rel="alternate" type="application/json" href="${escape(address)}"/>`,
    `<summary>${escape(lines.join('\n'))}</summary>`,
    // Twice: HTML within XML.
    `<content type="html">${escape(html)}</content>`,
    '</entry>',
  ].join('\n')
}

const startOf = (day: string) => `${day}T00:00:00Z`

/** A UUID made of a name. Source: RFC 9562, 5.5 (version 5). */
function idOf(name: string): string {
  const namespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex')
  const hash = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return `urn:uuid:${hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** What XML 1.0 cannot hold. Source: its production 2, Char. */
const impossible = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

/** Text, or the value of an attribute. */
const escape = (text: string) =>
  text.replace(impossible, '\ufffd').replace(/[&<>"]/g, (character) => entities[character] ?? character)
