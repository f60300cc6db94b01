/** News of a night beside new prices: lost funds, permissions, corrected prices, new warnings. */
import { writeFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import {
  asOf,
  db,
  eventsOf,
  fileOf,
  nightly,
  nightlyOf,
  press,
  read,
  useNights,
  withoutFund,
} from '../../bucket/nightly/nightly.ts'
import { linesOfNews } from '../../../src/core/cli/nightly/news.ts'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { useReceiver } from '../../support/receiver.ts'
import { holdBack } from '../../support/two-nights.ts'

useNights(4)
const receiver = useReceiver()

beforeEach(() => {
  const notify = [{ type: 'webhook', url: receiver.url('/default') }]
  writeFileSync(fileOf('fundpress.config.json'), JSON.stringify({ notify, pages: false, downloads: false }))
})

const isins = () => readDatabase(db(), 'SELECT isin FROM fund ORDER BY isin').map(({ isin }) => isin ?? '')
const warned = () => receiver.take().filter(({ event }) => event === 'warned')
const titlesOf = (notices: readonly Readonly<Record<string, unknown>>[]) => notices.map(({ title }) => title)
const later = '2026-11-12'
const force = '--force --reason test'

/** One fund is gone, one may not be given out any more, two prices of a third one are corrected, and a name is strange. */
function change() {
  const [first = '', second = '', third = ''] = isins()
  editDatabase(
    db(),
    `${withoutFund(`'${first}'`)}
     UPDATE fund SET data_permitted = 0 WHERE isin = '${second}';
     UPDATE price SET intercompany_profit = '7.77' WHERE isin = '${third}'
       AND date IN (SELECT date FROM price WHERE isin = '${third}' ORDER BY date LIMIT 2);
     UPDATE fund SET name = 'Fonds ' || char(8203) WHERE isin = '${third}'`,
  )
  return { first, second, third }
}

it('lost, corrected or strange data are in a notice, the summary and the last lines, with ISINs', async () => {
  await nightly()
  const names = readDatabase(db(), 'SELECT name FROM fund ORDER BY isin').map(({ name }) => name ?? '')
  const { first, second, third } = change()
  receiver.take()
  const run = await nightlyOf(later, `--summary night.md ${force}`)
  expect(run).toMatchObject({ code: 0 })
  const news = [
    `1 fund gone: ${first} ${names[0]}`,
    `1 fund restricted now: ${second} ${names[1]}`,
    `2 prices of 1 fund corrected: ${third}`,
  ]
  const strange = `${third} fund: name holds U+200B, which cannot be seen, "Fonds \\u200b"`
  expect(warned()).toMatchObject([
    {
      title: `fundpress ${later}: live with 1 fund gone, 1 fund restricted now, 2 prices of 1 fund corrected, 1 new warning`,
      command: 'nightly',
      news,
      details: [strange],
    },
  ])
  const lines = run.stdout.trimEnd().split('\n').slice(-5)
  const all = [...news, `warning: ${strange}`]
  expect(lines.slice(0, -1)).toEqual(all.map((line) => `night    ${line}`))
  expect(lines.at(-1)).toMatch(/^night {4}done in /)
  expect(read('night.md')).toContain(`### News\n\n\`\`\`text\n${all.join('\n')}\n\`\`\`\n`)
  expect(read('night.md')).toMatch(
    new RegExp(
      `### Corrected prices\n\n.*\n.*\n\\| \`${third}\` \\| \`.*\` \\| \`intercompany_profit\` \\| .* \\| \`7.77\` \\|\n`,
    ),
  )

  editDatabase(db(), 'UPDATE fund SET data_permitted = 1')
  const json = await nightlyOf('2026-11-14', `--json ${force}`)
  expect(titlesOf(warned())).toEqual(['fundpress 2026-11-14: live with 1 fund public now'])
  expect(eventsOf(json).at(-1)).toMatchObject({
    step: 'night',
    event: 'done',
    news: { opened: [{ isin: second, what: 'data' }], gone: [] },
  })
})

it('a warning about old data is shown once, then only by check; a second one is shown alone', async () => {
  const [first = '', second = ''] = isins()
  /** An old repurchase price is above the NAV, which is a warning. */
  const oldest = (isin: string) =>
    `UPDATE price SET issue_price = printf('%.2f', net_asset_value + 1), repurchase_price = printf('%.2f', net_asset_value + 1)
       WHERE isin = '${isin}' AND date = (SELECT min(date) FROM price)`
  editDatabase(db(), oldest(first))
  const older = /^check: (\w{12}) price: an older price is implausible/m
  const run = await nightly('--summary night.md')
  expect(run.code).toBe(0)
  expect(older.exec(read('night.md'))?.[1]).toBe(first)
  expect(titlesOf(warned())).toEqual([`fundpress ${asOf}: live with 1 new warning`])

  const next = await nightlyOf(later, '--summary night.md')
  expect({ code: next.code, warning: /^warning.*/m.exec(next.stderr), notices: warned() }).toEqual({
    code: 0,
    warning: null,
    notices: [],
  })
  expect(next.stdout).toContain(
    'check    0 errors, 1 warning, 1 told before (`fundpress check` lists them)\n',
  )
  editDatabase(db(), `UPDATE fund SET currency = 'XXX' WHERE isin = '${second}'`)
  const refused = await nightlyOf('2026-11-13')
  expect(refused.code).toBe(1)
  expect(refused.stderr).not.toMatch(/^warning/m)
  expect(refused.stdout).toMatch(/^check {4}1 error, 1 warning, 1 told before/m)
  editDatabase(db(), `UPDATE fund SET currency = 'EUR' WHERE isin = '${second}'`)
  expect(read('night.md')).not.toContain('implausible')
  const checked = await press.bare(`check --db funds.sqlite --as-of ${later}`)
  expect(checked.stdout + checked.stderr).toContain('an older price is implausible')

  editDatabase(db(), oldest(second))
  await nightlyOf('2026-11-13', `--summary night.md ${force}`)
  expect(older.exec(read('night.md'))?.[1] ?? read('night.md')).toBe(second)
})

it('a night shows the first ten of the older prices that are implausible, and counts the others; check lists all', async () => {
  const [first = ''] = isins()
  editDatabase(
    db(),
    `UPDATE price SET issue_price = printf('%.2f', net_asset_value + 1), repurchase_price = printf('%.2f', net_asset_value + 1)
       WHERE isin = '${first}' AND date IN (SELECT date FROM price WHERE isin = '${first}' ORDER BY date LIMIT 13)`,
  )
  const one = /^check: \w{12} price: an older price is implausible/gm
  expect((await nightly('--summary night.md')).code).toBe(0)
  expect(read('night.md').match(one)).toHaveLength(10)
  expect(read('night.md')).toContain('3 more older prices are implausible, listed by `fundpress check`')
  expect(titlesOf(warned())).toEqual([`fundpress ${asOf}: live with 11 new warnings`])
  const next = await nightlyOf(later)
  expect({ code: next.code, notices: warned() }).toEqual({ code: 0, notices: [] })
  const checked = await press.bare(`check --db funds.sqlite --as-of ${later}`)
  expect(checked.stdout.match(/price: an older price is implausible/g)).toHaveLength(13)
})

it('a warning about the newest price is not shown again when a newer price comes', async () => {
  const [first = ''] = isins()
  await nightly()
  const add = (day: string, factor: number) => {
    const scaled = ['issue_price', 'repurchase_price', 'net_asset_value']
    const values = scaled.map((name) => `printf('%.2f', ${name} * ${factor})`)
    editDatabase(
      db(),
      `INSERT INTO price SELECT isin, '${day}', ${values.join(', ')}, '0.00', '0.00', performance, NULL, NULL, NULL, NULL
         FROM price WHERE isin = '${first}' ORDER BY date DESC LIMIT 1`,
    )
  }
  const toldOf = (day: string) =>
    warned().flatMap(({ details }) => (details as readonly string[]).filter((line) => line.includes(day)))
  // Its change and its percentage are wrong, too, which --force allows.
  add('2026-11-11', 1.12)
  await nightlyOf(later, force)
  expect(toldOf('2026-11-11').length).toBeGreaterThan(0)
  add('2026-11-12', 1)
  expect((await nightlyOf('2026-11-13', force)).code).toBe(0)
  expect(toldOf('2026-11-11')).toEqual([])
})

it('the summary of a staged night shows prices and all warnings, those of earlier nights included', async () => {
  const [first = ''] = isins()
  editDatabase(db(), `UPDATE fund SET name = 'Fonds ' || char(8203) WHERE isin = '${first}'`)
  await nightly()
  receiver.take()
  const [row] = readDatabase(
    db(),
    `SELECT date, net_asset_value AS nav FROM price WHERE isin = '${first}' ORDER BY date DESC LIMIT 1`,
  )
  const { date, nav } = { date: row?.['date'] ?? '', nav: row?.['nav'] ?? '' }
  const now = (Number(nav) * 1.25).toFixed(2)
  editDatabase(
    db(),
    `UPDATE price SET net_asset_value = '${now}' WHERE isin = '${first}' AND date = '${date}'`,
  )
  expect((await nightlyOf(later, `--stage --summary night.md ${force}`)).code).toBe(0)
  expect(titlesOf(warned())[0]).toContain(`fundpress ${later}: staged with 1 price of 1 fund corrected`)
  const page = read('night.md')
  expect(page).toMatch(
    new RegExp(
      `### Largest moves\n\n\\| fund \\| name \\| NAV before \\| NAV now \\| percent \\|\n.*\n` +
        `\\| \`${first}\` \\| \`Fonds \\\\\\\\?u200b\` \\| \`${nav} \\(${date}\\)\` \\| \`${now} \\(${date}\\)\` \\| \`\\+25.\\d\\d %\` \\|\n`,
    ),
  )
  expect(page).toContain(`\`net_asset_value\` | \`${nav}\` | \`${now}\` |`)
  expect(page).toMatch(/### \d warnings\n[^]*name holds U\+200B.* \(told before\)\n/)
  expect(page).not.toContain('<details>')
})

it('publish and flip send the same', async () => {
  await nightly()
  const { first, second } = change()
  await press.bare(`build --db funds.sqlite --as-of ${later} --quiet ${force}`)
  receiver.take()
  const staged = await press.fundpress(`publish --stage ${force}`)
  const words = '1 fund gone, 1 fund restricted now, 2 prices of 1 fund corrected'
  expect(titlesOf(warned())).toEqual([`fundpress ${later}: staged with ${words}`])
  expect(staged.stdout).toMatch(
    new RegExp(`\n\n1 fund gone: ${first} .*\n1 fund restricted now: ${second} .*\n`),
  )
  const { snapshot } = JSON.parse(press.bucket.body('staged.json').toString()) as { snapshot: string }
  const flipped = await press.fundpress(`flip ${snapshot} ${force}`)
  expect(titlesOf(warned())).toEqual([`fundpress ${later}: live with ${words}`])
  expect(flipped.stdout).toContain(`\n\n1 fund gone: ${first} `)
})

it('news are sent also if the verification fails, and after a return only once the snapshot goes live again', async () => {
  await nightly()
  change()
  const kinds = () =>
    receiver
      .take()
      .map(({ event }) => event)
      .sort()
  const after = (work: () => unknown) =>
    press.server.faults([holdBack(/^live\.json$/, work, { when: 'after' })])
  kinds()
  after(() => {
    for (const key of press.bucket.keys('green/api')) press.bucket.put(key, 'damaged')
  })
  expect((await nightlyOf(later, force)).code).toBe(1)
  expect({ slot: press.bucket.live()?.slot, kinds: kinds() }).toEqual({ slot: 'blue', kinds: ['failed'] })
  after(() => (press.server.settings.deny = [{ operation: /^GetObject$/, key: /^green\/api/ }]))
  expect((await nightlyOf(later, force)).code).toBe(1)
  expect({ slot: press.bucket.live()?.slot, kinds: kinds() }).toEqual({
    slot: 'green',
    kinds: ['failed', 'forced', 'warned'],
  })
})

it('names ten of a list, but sixty funds that are gone, new or public now, and counts the others', () => {
  const funds = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ isin: `DE${1000 + index}`, name: 'Fonds' }))
  const isins = (count: number) => funds(count).map(({ isin }) => isin)
  const news = {
    gone: funds(70),
    added: funds(61),
    opened: [
      ...funds(2).map((fund) => ({ ...fund, what: 'prices' as const })),
      { isin: 'DE1000', name: 'Fonds', what: 'performance' as const },
    ],
    restricted: [],
    emptied: [],
    prices: {
      corrected: 2584,
      correctedFunds: 12,
      correctedIn: isins(10),
      added: 1,
      removed: 0,
      examples: [],
    },
    moves: null,
  }
  expect(linesOfNews(news)).toEqual([
    `70 funds gone: ${isins(60).join(', ')}, and 10 more`,
    '2 funds public now: DE1000 (prices, performance) Fonds, DE1001 (prices) Fonds',
    `61 funds new: ${isins(60).join(', ')}, and 1 more`,
    `2,584 prices of 12 funds corrected: ${isins(10).join(', ')}, and 2 more`,
    '1 price added for earlier days',
  ])
})
