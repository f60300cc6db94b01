/** Atom feeds. Source: RFC 4287. Pure: the bytes depend on the facts only. */

import { createHash } from 'node:crypto'
import { create } from 'xmlbuilder2'
import type { Language } from '../../api/routes/table.ts'
import { html } from './html.ts'

export interface AtomFeed {
  readonly language: Language
  /** The address that the API is published at, without a closing slash. */
  readonly baseUrl: string
  /** Keys of the feed, and of the page that it belongs to. */
  readonly key: string
  readonly page: string
  readonly title: string
  /** ISO 8601 with `Z`, as those of the entries. */
  readonly updated: string
  readonly entries: readonly AtomEntry[]
}

export interface AtomEntry {
  /** The entry's id is made of it: no other entry has it, in no language. */
  readonly name: string
  readonly title: string
  readonly updated: string
  /** Address of its page below the feed's; a fragment may follow. */
  readonly page: string
  /** Address of the same as JSON below the feed's. */
  readonly json: string
  readonly lines: readonly string[]
}

export function atomFeed({ language, baseUrl, key, page, title, updated, entries }: AtomFeed): string {
  const self = `${baseUrl}/${key}`
  const feed = {
    '@xmlns': 'http://www.w3.org/2005/Atom',
    '@xml:lang': language,
    id: idOf(self),
    title,
    updated,
    author: { name: new URL(baseUrl).host },
    generator: 'fundpress',
    link: [
      link('self', 'application/atom+xml', self),
      link('alternate', 'text/html', addressIn(baseUrl, page)),
    ],
    entry: entries.map((entry) => ({
      id: idOf(entry.name),
      title: entry.title,
      updated: entry.updated,
      link: [
        link('alternate', 'text/html', addressIn(baseUrl, entry.page)),
        link('alternate', 'application/json', `${baseUrl}/${entry.json}`),
      ],
      summary: entry.lines.join('\n'),
      // HTML within XML, as CDATA: in a text xmlbuilder2 would take its entities for those of XML, and a name could become a tag.
      content: {
        '@type': 'html',
        $: html`<ul>
          ${entry.lines.map((line) => html`<li>${line}</li>`)}
        </ul>`.markup,
      },
    })),
  }
  return xmlText({ feed })
}

/** @param content as xmlbuilder2 reads objects. What XML 1.0 cannot hold becomes U+FFFD. */
export const xmlText = (content: object): string =>
  `${create({ encoding: 'UTF-8', invalidCharReplacement: '\ufffd' }, content).end({ prettyPrint: true })}\n`

const link = (rel: string, type: string, href: string) => ({ '@rel': rel, '@type': type, '@href': href })

/** People see the address of a folder without the name of its page. */
const addressIn = (baseUrl: string, page: string) => `${baseUrl}/${page.replace(/\/index\.html(?=$|#)/, '/')}`

/** A UUID made of a name. Source: RFC 9562, 5.5 (version 5). */
function idOf(name: string): string {
  const namespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex')
  const hash = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return `urn:uuid:${hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
}
