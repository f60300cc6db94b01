/**
 * Texts of `live.json` and `staged.json`, and who takes them. The publisher checks every field, edges check those that they need:
 * both sides' tests read this table, so that nothing is published that an edge refuses, and no edge takes what nobody published.
 */

export interface LiveExample {
  readonly what: string
  readonly text: string
  /** `publisher refuses`: only a field that no edge needs is wrong. */
  readonly verdict: 'good' | 'bad' | 'publisher refuses'
}

type Fields = Readonly<Record<string, unknown>>

const id = '2026-11-20-3f9c2ab4d1e0'
const snapshot: Fields = {
  slot: 'blue',
  snapshot: id,
  asOf: '2026-11-20',
  funds: 2,
  objects: 120,
  bytes: 345_678,
  newestPrice: '2026-11-19',
  docsUrl: 'https://docs.example.org',
  edition: '0123456789ab',
  downloads: { folder: id, files: 12, bytes: 34_567, sums: '0f'.repeat(32) },
  freshness: { fresh: 2, late: 0, stale: 0, suspended: 0, ended: 0, unwatched: 0, unpriced: 0, withheld: 0 },
  restricted: 'ba9876543210',
  liveSince: '2026-11-20T21:04:05.678Z',
  changes: 'journal/0b5f.changes.ndjson.gz',
}
const previous: Fields = {
  ...snapshot,
  slot: 'green',
  snapshot: '2026-11-19-aaaaaaaaaaaa',
  asOf: '2026-11-19',
  liveSince: '2026-11-19T21:04:05.678Z',
}
/** As a publish writes it, with all that may be there. */
export const liveFields: Fields = {
  format: 1,
  ...snapshot,
  fence: 'a-lease',
  broughtBy: 'rollback',
  keyValueStore: 'arn:aws:cloudfront::123456789012:key-value-store/a-store',
  earlierDownloads: {
    '2026-11': '19-aaaaaaaaaaaa 18-bbbbbbbbbbbb-cccccccccccc 17-0',
    '2024-02': '29-dddddddddddd',
  },
  previous,
}

/** @param changes fields with the value undefined are left out */
export const liveText = (changes: Fields): string => JSON.stringify({ ...liveFields, ...changes })

const only = (verdict: LiveExample['verdict'], field: string, values: readonly unknown[]): LiveExample[] =>
  values.map((value) => {
    const shown = value === undefined ? 'missing' : JSON.stringify(value)
    const what = `${field}: ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`
    return { what, text: liveText({ [field]: value }), verdict }
  })
const good = (field: string, ...values: unknown[]) => only('good', field, values)
const bad = (field: string, ...values: unknown[]) => only('bad', field, values)
const ignored = (field: string, ...values: unknown[]) => only('publisher refuses', field, values)
const texts = (...given: string[]): LiveExample[] =>
  given.map((text) => ({ what: `the text ${JSON.stringify(text.slice(0, 60))}`, text, verdict: 'bad' }))

const folder = (value: unknown) => ({ ...(snapshot['downloads'] as Fields), folder: value })

export const liveExamples: readonly LiveExample[] = [
  { what: 'all fields', text: liveText({}), verdict: 'good' },
  { what: 'blanks and line ends around it', text: `\n ${liveText({})}\r\n`, verdict: 'good' },
  {
    what: 'the fields that are always there',
    text: liveText(
      Object.fromEntries(
        'edition downloads restricted changes fence broughtBy keyValueStore'
          .split(' ')
          .map((name) => [name, undefined]),
      ),
    ),
    verdict: 'good',
  },
  { what: 'a field of a later version', text: liveText({ later: { slot: '../..' } }), verdict: 'good' },

  ...texts('', ' ', '<html>', 'null', '7', 'true', '"blue"', '[]', '{}', liveText({}).slice(0, -1)),
  ...texts(`${liveText({})}{}`, `[${liveText({})}]`, `\ufeff${liveText({})}`, JSON.stringify(liveText({}))),
  ...texts(`{"__proto__":${liveText({})}}`, liveText({}).replace('"blue"', "'blue'")),
  ...bad('format', 2, '1', [1], null, undefined),

  ...good('slot', 'green'),
  ...bad(
    'slot',
    'red',
    'downloads',
    'journal',
    'slot-10',
    'Blue',
    'blue\n',
    'blue/',
    '..',
    '../secret',
    '',
    ['blue'],
    0,
    null,
    undefined,
  ),

  ...bad('snapshot', '../x', '2026-11-20', '2026-11-20-3F9C2AB4D1E0', '2026-11-20-3f9c2ab4d1e', `${id}0`),
  ...bad('snapshot', '2026-13-20-3f9c2ab4d1e0', '2026-02-30-3f9c2ab4d1e0', '２０２６-11-20-3f9c2ab4d1e0'),
  ...bad(
    'snapshot',
    `${id}\n`,
    `${id}\r\nX: y`,
    `${id}"`,
    20_261_120,
    [id],
    { id },
    null,
    undefined,
    'x'.repeat(5000),
  ),

  ...good(
    'docsUrl',
    '/docs',
    'http://localhost:8080/docs',
    'https://[::1]:8080/',
    'https://example.org/Preise/ü',
  ),
  ...good('docsUrl', `https://example.org/${'a'.repeat(2048 - 20)}`),
  ...bad('docsUrl', 'javascript:alert(1)', 'ftp://example.org', 'docs', '', 'https://example.org/a b'),
  ...bad('docsUrl', 'https://example.org/\u0000', '/docs\n', `https://example.org/${'a'.repeat(2048 - 19)}`),
  ...bad('docsUrl', ['https://example.org'], 7, null, undefined),

  ...good('liveSince', '2024-02-29T23:59:59.999Z'),
  ...bad('liveSince', 'now', '2026-11-20', '2026-11-20T21:04:05.678', '2026-11-20T21:04:05.678+01:00'),
  ...bad('liveSince', '2026-11-31T21:04:05.678Z', '2026-11-20T24:04:05.678Z', '2026-11-20 21:04:05.678Z'),
  ...bad(
    'liveSince',
    '+275760-09-13T00:00:00.000Z',
    1_795_000_000_000,
    ['2026-11-20T21:04:05.678Z'],
    null,
    undefined,
  ),

  ...good('downloads', folder(`${id}-0123456789ab`)),
  ...bad(
    'downloads',
    null,
    [],
    'none',
    id,
    [folder(id)],
    folder(undefined),
    folder(null),
    folder([id]),
    folder(7),
  ),
  ...bad(
    'downloads',
    folder('../../secret'),
    folder('../../../../../etc'),
    folder('/etc'),
    folder('..'),
    folder(''),
  ),
  ...bad(
    'downloads',
    folder(`${id}/../../secret`),
    folder(`${id}/`),
    folder('2026-11-20'),
    folder(`${id}\n`),
  ),
  ...bad('downloads', folder('2026-11-31-3f9c2ab4d1e0'), folder(id.toUpperCase()), folder(`${id}-0-0`)),

  ...good('earlierDownloads', {}, { '2026-11': '17-0' }),
  ...bad('earlierDownloads', { '2026-11': '17' }, undefined),
  ...bad(
    'earlierDownloads',
    null,
    [],
    '19',
    7,
    { '2026-13': '19' },
    { '../x': '19' },
    { '2026-11-19': '19' },
  ),
  ...bad(
    'earlierDownloads',
    { '2026-11': ['19'] },
    { '2026-11': 19 },
    { '2026-11': null },
    { '2026-11': '' },
  ),
  ...bad('earlierDownloads', { '2026-11': '19-aaaaaaaaaaaa/../../secret' }, { '2026-11': '../../secret' }),
  ...bad('earlierDownloads', { '2026-11': '19 ../../secret' }, { '2026-11': '19-' }, { '2026-11': '19\n18' }),
  ...bad(
    'earlierDownloads',
    { '2026-11': ' 19' },
    { '2026-11': '19 ' },
    { '2026-11': '19  18' },
    { '2026-11': '9' },
  ),

  ...good('previous', null),
  ...bad(
    'previous',
    undefined,
    'none',
    7,
    true,
    false,
    [],
    {},
    { liveSince: 7 },
    { ...previous, liveSince: 'yesterday' },
  ),

  ...ignored('asOf', '2026-02-30', 7, undefined),
  ...ignored('funds', -1, '2', undefined),
  ...ignored('objects', 1.5, null),
  ...ignored('bytes', [1]),
  ...ignored('newestPrice', 7, '2026-02-30', undefined),
  ...ignored('edition', 7),
  ...ignored('downloads', { ...folder(id), sums: 'none' }, { ...folder(id), files: -1 }),
  ...ignored('changes', '../live.json', 7),
  ...ignored('freshness', undefined),
  ...ignored('keyValueStore', 7),
  ...ignored('previous', { ...previous, slot: 'red' }, { ...previous, snapshot: '../x' }),
]
