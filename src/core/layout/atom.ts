/** Atom feeds (RFC 4287) of every fund in every night: xmlbuilder2 takes nine times as long. Pure. */

import { createHash } from 'node:crypto'
import type { Publisher } from '../api/contract/page.ts'
import type { Language } from '../api/routes/table.ts'
import { addressOf } from './head.ts'

interface AtomFeed {
  readonly language: Language
  /** Without a closing slash. */
  readonly baseUrl: string
  /** Keys of the feed, and of its page. */
  readonly key: string
  readonly page: string
  readonly title: string
  readonly publisher: Publisher | null
  /** ISO 8601 with `Z`, as in the entries. */
  readonly updated: string
  readonly entries: readonly AtomEntry[]
}

export interface AtomEntry {
  /** Source of the entry's id: unique, also between languages. */
  readonly name: string
  readonly title: string
  /** ISO 8601 with `Z`: when it was published. No entry is changed afterwards. */
  readonly published: string
  /** Address of its page relative to `baseUrl`; a fragment may follow. */
  readonly page: string
  /** Address of the JSON file relative to `baseUrl`. */
  readonly json: string
  readonly lines: readonly string[]
}

/** The company, or its host. */
export const authorOf = (publisher: Publisher | null, baseUrl: string): string =>
  publisher?.name ?? new URL(baseUrl).host

export function atomFeed(feed: AtomFeed): string {
  const { language, baseUrl, key, page, title, publisher, updated, entries } = feed
  const self = addressOf(baseUrl, key)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">`,
    `<id>${idOf(self)}</id>`,
    `<title>${escape(title)}</title>`,
    `<updated>${updated}</updated>`,
    `<author><name>${escape(authorOf(publisher, baseUrl))}</name></author>`,
    '<generator>fundpress</generator>',
    `<link rel="self" type="application/atom+xml" href="${escape(self)}"/>`,
    `<link rel="alternate" type="text/html" href="${escape(addressOf(baseUrl, page))}"/>`,
    ...entries.map((entry) => entryText(entry, baseUrl)),
    '</feed>',
    '',
  ].join('\n')
}

function entryText({ name, title, published, page, json, lines }: AtomEntry, baseUrl: string): string {
  const html = `<ul>${lines.map((line) => `<li>${escape(line)}</li>`).join('')}</ul>`
  return [
    '<entry>',
    `<id>${idOf(name)}</id>`,
    `<title>${escape(title)}</title>`,
    // Some readers ask the one for what is new, some the other.
    `<published>${published}</published>`,
    `<updated>${published}</updated>`,
    `<link rel="alternate" type="text/html" href="${escape(addressOf(baseUrl, page))}"/>`,
    `<link rel="alternate" type="application/json" href="${escape(`${baseUrl}/${json}`)}"/>`,
    `<summary>${escape(lines.join('\n'))}</summary>`,
    // Escaped twice: HTML within XML.
    `<content type="html">${escape(html)}</content>`,
    '</entry>',
  ].join('\n')
}

/** A UUID made of a name. Source: RFC 9562, 5.5 (version 5). */
function idOf(name: string): string {
  const namespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex')
  const hash = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return `urn:uuid:${hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Characters that XML 1.0 cannot hold. Source: its production 2, Char. */
const impossible = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

const escape = (text: string) =>
  text.replace(impossible, '\ufffd').replace(/[&<>"]/g, (character) => entities[character] ?? character)
