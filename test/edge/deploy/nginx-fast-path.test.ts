/** What nginx answers without njs is what njs answers: compared for random requests, and while snapshots are exchanged. */
import { renameSync, symlinkSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fundPaths } from '../../../src/conform/requests.ts'
import { conformNights, type Nights } from '../../conform/nights.ts'
import { startNginx, whyNoNginx, type Nginx } from '../../support/nginx.ts'
import { tempFolder } from '../../support/product.ts'
import { isMissing } from '../../support/programs.ts'
import { headerOf, rawRequest, type RawRequest, type RawResponse } from '../../support/request.ts'
import { times } from '../../support/rounds.ts'
import { firstIsin } from '../runtime/deployments.ts'

const mark = 'x-without-njs'
const folder = tempFolder()

describe.skipIf(isMissing(whyNoNginx === undefined))('nginx with files', () => {
  let nights: Nights
  let live: string
  let fast: Nginx
  let njs: Nginx

  beforeAll(async () => {
    nights = await conformNights()
    live = folder.file('the live one')
    swap(nights.first.out)
    const args = ['--out', live, '--hsts', '600']
    fast = await startNginx({ args, settings: { 'etag on;': `etag on; add_header ${mark} yes;` } })
    njs = await startNginx({ args, settings: { 'try_files $fundpress_file': 'try_files /none' } })
  })

  afterAll(async () => {
    await fast.stop()
    await njs.stop()
    nights.release()
  })

  const swap = (out: string): void => {
    symlinkSync(out, `${live}.next`)
    renameSync(`${live}.next`, live)
  }

  it('answers every request as njs does, and most plain ones without it', async () => {
    const known = await knownAnswers(njs, firstIsin(nights.first.out))
    const count = { plain: 0, fast: 0, notModified: 0, compressed: 0 }
    const compare = async (request: RawRequest): Promise<boolean> => {
      const [one, other] = await Promise.all([rawRequest(fast.base, request), rawRequest(njs.base, request)])
      expect(comparable(one)).toEqual(comparable(other))
      const isFast = headerOf(one, mark) !== undefined
      expect(headerOf(other, mark)).toBeUndefined()
      if (isFast && one.status === 304) count.notModified++
      if (isFast && headerOf(one, 'content-encoding') === 'gzip') count.compressed++
      return isFast
    }
    const check = (requests: fc.Arbitrary<RawRequest>, runs: number, each: (isFast: boolean) => void) =>
      fc.assert(
        fc.asyncProperty(requests, async (request) => each(await compare(request))),
        { numRuns: times(runs, 750), seed: 4711, endOnFailure: true },
      )
    const found = known.filter(({ status }) => status === 200)
    await check(plainRequests(found), 3000, (isFast) => {
      count.plain++
      if (isFast) count.fast++
    })
    await check(oddRequests(known), 6000, () => undefined)
    // The others are refusals, or have conditions that nginx leaves to njs.
    expect(count.fast).toBeGreaterThan(count.plain / 2)
    expect(count.notModified).toBeGreaterThan(10)
    expect(count.compressed).toBeGreaterThan(10)
  })

  it('gives headers and body of one snapshot, while the link is exchanged under load', async () => {
    const outs = [nights.first.out, nights.second.out]
    const targets = fundPaths(firstIsin(nights.first.out)).map(({ target }) => target)
    const expected = new Map<string, unknown[]>(targets.map((target) => [target, []]))
    for (const out of outs) {
      swap(out)
      for (const target of targets)
        expected.get(target)?.push(comparable(await rawRequest(njs.base, { target })))
    }
    const wrong: unknown[] = []
    let isOver = false
    let withoutNjs = 0
    const client = async (first: number): Promise<void> => {
      for (let turn = first; !isOver; turn++) {
        const target = targets[turn % targets.length] ?? ''
        const answer = await rawRequest(fast.base, { target })
        if (headerOf(answer, mark) !== undefined) withoutNjs++
        const found = comparable(answer)
        if (expected.get(target)?.some((one) => isDeepStrictEqual(one, found)) !== true) wrong.push(found)
      }
    }
    const clients = Promise.all([0, 5, 10, 15].map(client))
    for (let turn = 0; withoutNjs < times(3200) && wrong.length === 0; turn++) {
      swap(outs[turn % 2] ?? '')
      await setTimeout(1)
    }
    isOver = true
    await clients
    swap(nights.first.out)
    expect(wrong).toEqual([])
  })
})

/** Without what differs from one answer to the next. */
function comparable({ status, headers, body }: RawResponse) {
  const kept = headers.filter(([name]) => !['date', mark].includes(name))
  return { status, headers: kept.map((header) => header.join(': ')).sort(), body: body.toString('latin1') }
}

/** The addresses of a fund's answers, with the ETags and dates that each has. */
async function knownAnswers({ base }: Nginx, isin: string) {
  const targets = [...fundPaths(isin).map(({ target }) => target), '/api/v1/prices-current-all/']
  const answers = []
  for (const target of targets) {
    const { status } = await rawRequest(base, { target })
    const marks = []
    for (const query of ['', '?format=xml', '?language=en', '?format=csv']) {
      const answer = await rawRequest(base, { target: target + query })
      marks.push({ etag: headerOf(answer, 'etag') ?? '"x"', date: headerOf(answer, 'last-modified') ?? '' })
    }
    answers.push({ target, status, marks })
  }
  return answers
}
type Known = Awaited<ReturnType<typeof knownAnswers>>

const queries = ['', 'format=json', 'format=xml', 'format=csv', 'language=de', 'language=en']
const plainQuery = fc
  .array(fc.constantFrom(...queries.slice(1)), { maxLength: 2 })
  .map((parts) => (parts.length === 0 ? '' : `?${parts.join('&')}`))
const oddQuery = fc
  .array(
    fc.constantFrom(
      ...queries,
      'format=XML',
      'language=fr',
      'x=1',
      '%66ormat=xml',
      'format=x%6dl',
      'format',
      '?',
    ),
    { maxLength: 4 },
  )
  .map((parts) => (parts.length === 0 ? '' : `?${parts.join('&')}`))

const accepts = [
  '*/*',
  'application/json',
  'application/xml',
  'text/xml',
  'text/csv',
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'application/json, text/plain, */*',
  'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
]
const acceptedLanguages = ['*', 'de', 'en', 'de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7', 'en-US,en;q=0.5', 'de, en']
/** Lists of ranges in all forms, known and unknown ones. */
const ranges = (...names: string[]) =>
  fc
    .array(
      fc
        .tuple(
          fc.constantFrom(...names),
          fc.constantFrom('', '', ';q=0.5', '; q=1.0', ';q=0', ';Q=0.3', ';x=1', ';q=x', ' '),
        )
        .map((parts) => parts.join('')),
      { maxLength: 4 },
    )
    .chain((all) => fc.constantFrom(',', ', ', ' ,', ',,').map((comma) => all.join(comma)))
const oddAccept = ranges(
  ...[
    '*/*',
    'application/*',
    'text/*',
    'TEXT/html',
    'text/html',
    'application/json',
    'text/json',
    'image/png',
  ],
  ...['application/xml', 'Text/XML', 'text/csv', 'application/hal+json', 'application/jsonp', 'text', ''],
)
const oddLanguage = ranges('de', 'en', 'DE-at', 'en-GB-oed', 'fr', 'de_DE', 'deu', 'e', '*', 'en-', '')

/** @param percent how often it is there */
const optional = <T>(value: fc.Arbitrary<T>, percent = 50) =>
  fc.oneof(
    { weight: 100 - percent, arbitrary: fc.constant(undefined) },
    { weight: percent, arbitrary: value },
  )
const encodings = fc.constantFrom('gzip', 'gzip, deflate, br', 'br', 'identity', 'gzip;q=0', 'gzip;q=0.5')

const requestOf = (
  method: string,
  target: string,
  headers: Record<string, string | undefined>,
): RawRequest => {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined) as [string, string][]
  return { method, target, headers: Object.fromEntries(sent) }
}

const plainRequests = (known: Known) =>
  fc.constantFrom(...known).chain(({ target, marks }) =>
    fc
      .record({
        query: plainQuery,
        accept: optional(fc.constantFrom(...accepts), 67),
        'accept-language': optional(fc.constantFrom(...acceptedLanguages), 67),
        'accept-encoding': optional(encodings),
        'if-none-match': optional(fc.constantFrom(...marks.flatMap(({ etag }) => [etag, `W/${etag}`])), 25),
      })
      .map(({ query, ...headers }) => requestOf('GET', target + query, headers)),
  )

/** A target with a small change somewhere. */
const changed = (target: string) =>
  fc
    .tuple(
      fc.nat(target.length),
      fc.constantFrom(
        '',
        '/',
        '//',
        '/../',
        '/./',
        '%2f',
        '%00',
        '%41',
        'A',
        'a',
        '0',
        '.',
        '-',
        ';',
        '%',
        'ü',
      ),
      fc.constantFrom(0, 1, 1, 2, 12),
    )
    .map(([at, text, cut]) => `/${`${target.slice(0, at)}${text}${target.slice(at + cut)}`.slice(1)}`)
    .map((text) => text.replaceAll('ü', '%C3%BC'))

const oddRequests = (known: Known) =>
  fc.constantFrom(...known).chain(({ target, marks }) => {
    const tags = marks.flatMap(({ etag }) => [
      etag,
      `W/${etag}`,
      etag.slice(1),
      `${etag.slice(0, -1)}-index.xml"`,
    ])
    const moved = (date: string, ms: number) => new Date((Date.parse(date) || 0) + ms).toUTCString()
    const dates = marks
      .filter(({ date }) => date !== '')
      .flatMap(({ date }) => [date, moved(date, 1000), moved(date, -1000), moved(date, 1e8)])
    const tagList = fc
      .array(fc.constantFrom(...tags, '*', '"a,b"', '""', 'x'), { minLength: 1, maxLength: 3 })
      .chain((all) => fc.constantFrom(', ', ',', ' ,', ' ').map((comma) => all.join(comma)))
    return fc
      .record({
        method: fc.constantFrom(
          ...Array.from({ length: 8 }, () => 'GET'),
          'HEAD',
          'HEAD',
          'OPTIONS',
          'POST',
          'DELETE',
        ),
        path: fc.oneof(fc.constant(target), changed(target), fc.constant(target.toLowerCase())),
        query: oddQuery,
        accept: optional(fc.oneof(oddAccept, fc.constantFrom(...accepts))),
        'accept-language': optional(fc.oneof(oddLanguage, fc.constantFrom(...acceptedLanguages))),
        'accept-encoding': optional(encodings),
        'if-none-match': optional(tagList, 30),
        'if-modified-since': optional(fc.constantFrom(...dates, 'yesterday', ''), 25),
        'if-unmodified-since': optional(fc.constantFrom(...dates, 'no date'), 10),
        'if-match': optional(tagList, 10),
        'if-range': optional(tagList, 15),
        range: optional(
          fc.constantFrom('bytes=0-9', 'bytes=-5', 'bytes=1-2,4-5', 'bytes=99999999-', 'x=1-2'),
          25,
        ),
      })
      .map(({ method, path, query, ...headers }) => requestOf(method, path + query, headers))
  })
