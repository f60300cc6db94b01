/**
 * The history as an Atom feed in each language, `changes/feed.xml` and `changes/de/feed.xml`. Source: RFC 4287. Pure: its bytes
 * depend on the history and the address only. An entry is dated at the beginning of its day (UTC), and one second later for each
 * further publish of that day.
 */

import { createHash } from 'node:crypto'
import { type ChangeHistory, type HistoryEntry, publishesOf } from '../../api/contract/changes.ts'
import type { Page } from '../../api/contract/page.ts'
import { type Language, languages } from '../../api/routes/table.ts'
import { changesKeys, feedKeys } from '../layout/layout.ts'
import { dayPageKeys, publishId, wordsIn } from './pages.ts'
import { changeWords } from './wording.ts'

/**
 * @param baseUrl the address that the API is published at, without a closing slash
 * @param asOf the day of the snapshot, ISO 8601: the feed's own while there is no entry
 */
export const changeFeeds = (history: ChangeHistory, baseUrl: string, asOf: string): readonly Page[] =>
  languages.map((language) => ({
    key: feedKeys[language],
    content: atomFeed(history, { baseUrl, asOf, language }),
  }))

interface FeedFacts {
  readonly baseUrl: string
  readonly asOf: string
  readonly language: Language
}

function atomFeed({ nights }: ChangeHistory, facts: FeedFacts): string {
  const { baseUrl, asOf, language } = facts
  const self = `${baseUrl}/${feedKeys[language]}`
  const host = new URL(baseUrl).host
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">`,
    `<id>${idOf(self)}</id>`,
    `<title>${escape(changeWords[language].feedTitle(host))}</title>`,
    `<updated>${timeOf(nights[0] ?? { asOf, publish: 1 })}</updated>`,
    `<author><name>${escape(host)}</name></author>`,
    '<generator>fundpress</generator>',
    `<link rel="self" type="application/atom+xml" href="${escape(self)}"/>`,
    `<link rel="alternate" type="text/html" href="${addressOf(baseUrl, changesKeys[language])}"/>`,
    ...nights.flatMap((day) => publishesOf(day).map((publish) => entry(publish, day.file, facts))),
    '</feed>',
    '',
  ].join('\n')
}

/** Each publish is an entry of its own, so that readers show it, also if it publishes a snapshot again. */
function entry(published: HistoryEntry, file: string, { baseUrl, language }: FeedFacts): string {
  const { asOf, snapshot, publish } = published
  const { title, lines } = wordsIn(published, language)
  const html = `<ul>${lines.map((line) => `<li>${escape(line)}</li>`).join('')}</ul>`
  const name = [
    'snapshot',
    snapshot,
    ...(publish === 1 ? [] : [publish]),
    ...(language === 'en' ? [] : [language]),
  ]
  const page = addressOf(baseUrl, dayPageKeys(asOf)[language])
  return [
    '<entry>',
    `<id>${idOf(name.join(' '))}</id>`,
    `<title>${escape(title)}</title>`,
    `<updated>${timeOf(published)}</updated>`,
    `<link rel="alternate" type="text/html" href="${page}#${publishId(published)}"/>`,
    `<link rel="alternate" type="application/json" href="${escape(`${baseUrl}/changes/${file}`)}"/>`,
    `<summary>${escape(lines.join('\n'))}</summary>`,
    // Twice: HTML within XML.
    `<content type="html">${escape(html)}</content>`,
    '</entry>',
  ].join('\n')
}

/** People see the address of a folder without the name of its page. */
const addressOf = (baseUrl: string, key: string) => escape(`${baseUrl}/${key.replace(/\/index\.html$/, '/')}`)

function timeOf({ asOf, publish }: Pick<HistoryEntry, 'asOf' | 'publish'>): string {
  const time = new Date(Date.parse(`${asOf}T00:00:00Z`) + (publish - 1) * 1000)
  return time.toISOString().replace('.000Z', 'Z')
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

/** What XML 1.0 cannot hold. Source: its production 2, Char. */
const impossible = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

const escape = (text: string) =>
  text.replace(impossible, '\ufffd').replace(/[&<>"]/g, (character) => entities[character] ?? character)
