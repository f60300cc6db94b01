/** What `fundpress nightly` reports: a summary in Markdown, annotations, outputs of a workflow; none of it becomes a command. */
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { DayChanges } from '../../../src/core/api/contract/changes.ts'
import { editDatabase } from '../../support/database.ts'
import { newBenchmark } from '../../support/nights.ts'
import type { Run } from '../../support/product.ts'
import {
  db,
  eventsOf,
  fileOf,
  history,
  inWorkflow,
  lastOf,
  nightly,
  nightlyOf,
  press,
  read,
  useNights,
} from './nightly.ts'

useNights()

/** Two funds, in the order of their ISINs. */
const isins = () => readdirSync(fileOf('night-1/api/v1/prices-current')).sort()
const isLastFund = 'isin = (SELECT max(isin) FROM fund)'

it('writes a summary in Markdown, with the cost of its requests', async () => {
  const run = await nightly('--summary night.md --json')
  const night = lastOf(run)
  const { snapshot = '' } = press.bucket.live() ?? {}
  const rows = [...read('night.md').matchAll(/^\| ([a-z ]+) \| (.*) \|$/gm)].map(([, ...row]) => row)
  const documents = String(night?.['documents'])
  const written = String(night?.['written'])
  expect(Object.fromEntries(rows)).toMatchObject({
    snapshot: `\`${snapshot}\` in blue`,
    documents,
    changed: documents,
    written: `${written} (${written} put, 0 deleted)`,
    'newest price': '2026-11-10',
    'oldest price': `2026-11-10 (${isins()[0]})`,
  })
  // A put or a list costs five millionths, a get 0.4 of one (six lists: is the bucket new? does the store list as it must? is the slot whole?): the publish's own, so without the checks after.
  expect(Number(night?.['cost'])).toBeCloseTo((Number(night?.['documents']) + 35) * 5e-6, 4)
})

it('counts what changed since the live snapshot, whatever the other slot held', async () => {
  await nightlyOf('2026-11-10')
  editDatabase(db(), `UPDATE fund SET name = name || ' new'`)
  await nightly('--allow renamed-funds --reason test')
  editDatabase(db(), newBenchmark(1))
  const env = inWorkflow()
  const flags = '--summary night.md --json'
  const run = await nightlyOf('2026-11-12', flags, env)
  const { slot = '' } = press.bucket.live() ?? {}
  const { documents } = JSON.parse(
    press.bucket.body(`${slot}/changes/2026-11-12.json`).toString(),
  ) as DayChanges
  const changed = documents.added + documents.removed + documents.changed
  const night = lastOf(run)
  expect(night).toMatchObject({ changed })
  expect(Number(night?.['written'])).toBeGreaterThan(2 * changed)
  expect(history().at(-1)).toMatchObject({ changed, written: night?.['written'] })
  expect(read('night.md')).toContain(`\n| changed | ${changed} |\n`)
  expect(read('outputs')).toContain(`\nchanged=${changed}\nwritten=${String(night?.['written'])}\n`)
  const [, cost = ''] = /^cost=(0\.\d{6})$/m.exec(read('outputs')) ?? []
  expect(Number(cost)).toBeCloseTo(Number(night?.['cost']), 6)
})

it('says that changes are unknown if the manifest of the live slot is damaged', async () => {
  await nightlyOf('2026-11-10')
  press.bucket.put('blue/manifest.ndjson.gz', 'x')
  const run = await nightly('--json --summary night.md')
  expect(run.code, run.stderr).toBe(0)
  expect(lastOf(run)).toMatchObject({ changed: null })
  expect(read('night.md')).toContain('\n| changed | not known |\n')
  expect(history().at(-1)).toMatchObject({ changed: null, isVerified: true })
})

it('names the fund with the oldest newest price, counts funds without prices, and ignores refused funds', async () => {
  const hostileName = `UPDATE fund SET name = '=cmd|'' /C calc''!A1' WHERE ${isLastFund}`
  editDatabase(db(), `${hostileName}; DELETE FROM price WHERE date > '2026-03-31' AND ${isLastFund}`)
  await nightly('--summary night.md --force --reason test')
  expect(read('night.md')).toContain(`| oldest price | 2026-03-31 (${isins()[1]}) |`)
  editDatabase(db(), `UPDATE fund SET data_permitted = 0 WHERE ${isLastFund}`)
  await nightly('--summary night.md --force --reason test')
  expect(read('night.md')).toContain('| oldest price | 2026-11-10 (')
  editDatabase(db(), `UPDATE fund SET data_permitted = 1; DELETE FROM price WHERE ${isLastFund}`)
  await nightly('--summary night.md --force --reason test')
  expect(read('night.md')).toContain('| prices | 1 up to date, 0 late, 0 stale, 1 without a price |')
})

it('does not change the bucket if the database has errors, and names each error', async () => {
  await nightly()
  const before = press.bucket.live()
  press.server.reset()
  editDatabase(db(), `UPDATE fund SET currency = '</script>' || char(10) || '::error::%0A\`\`\`\`'`)
  const run = await nightly('--json --summary night.md', inWorkflow())
  expect(run.code).toBe(1)
  // One of each fund, and the reason.
  expect(eventsOf(run).filter(({ event }) => event === 'error')).toHaveLength(3)
  expect(lastOf(run)).toMatchObject({ step: 'check', event: 'error' })
  expect(String(lastOf(run)?.['message'])).toMatch(
    /^funds\.sqlite has 2 errors: fund [A-Z]{2}\w{10}: currency .* \(table fund\), and 1 more; fix it/,
  )
  expect(Object.keys(press.server.counts()).filter((name) => name !== 'GetObject')).toEqual(['PutObject'])
  expect(press.bucket.keys('').filter((key) => key.startsWith('nightly/'))).toEqual(['nightly/history.json'])
  expect(press.bucket.live()).toEqual(before)
  expect(read('night.md')).toMatch(
    /^## fundpress 2026-11-11: failed in check\n\n`{5}text\nfunds\.sqlite has 2 errors/,
  )
  expect(read('night.md').match(/^`+$/gm)).toEqual(['`````'])
  expect(read('outputs')).toMatch(
    /^skipped=false\nstaged=false\nfailed-step=check\nreason=funds\.sqlite has 2 errors: .*\nrefused=false\nallow=\nrefusal=\n$/,
  )
  expect(run.stderr.split('\n').filter((line) => line.startsWith('::'))).toEqual([
    expect.stringMatching(/^::error title=fundpress nightly%3A check::funds\.sqlite has 2 errors: /),
  ])
})

const registered = ['stop-commands', 'add-mask', 'error', 'warning', 'notice', 'debug', 'group', 'set-output']

/** The commands that the runner finds in a log, by its own rules: one a line, in either of two forms. */
function commandsIn({ stdout, stderr }: Run): string[] {
  return (stdout + stderr).split(/\r?\n/).flatMap((line) => {
    const [, found] =
      /^[\s\u0085]*::([^ :]+)(?: [^:]*(?::[^:]+)*)?::/.exec(line) ?? /##\[([^ \]]+)[^\]]*\]/.exec(line) ?? []
    return found !== undefined && registered.includes(found.toLowerCase()) ? [`${found} ${line}`] : []
  })
}

const hostile = [
  '##[stop-commands]x',
  '::stop-commands::x',
  '\n::add-mask::1',
  '\r\n  ::error::x',
  '\u0085::error::x',
  '##[group]</details>\n```\n# x',
  '%0A::error::%0D##[add-mask]1',
  '</script><b>"&',
].join('')
const sql = (text: string) => `'${text.replaceAll("'", "''")}'`
const workflow = { GITHUB_ACTIONS: 'true' }

it('nightly runs and other commands quote hostile texts without giving a command', async () => {
  // A warning quotes it, and the run continues.
  const category = sql(`${hostile.slice(0, 40)}\ufffd`)
  editDatabase(db(), `UPDATE fund SET name = ${sql(hostile)}; UPDATE profile SET category_de = ${category}`)
  const plain = await nightly('--summary night.md', inWorkflow())
  expect(plain.code, plain.stderr).toBe(0)
  expect(plain.stderr).toContain('##\\u005bstop-commands]x')
  const own = commandsIn(plain)
  // Nine and a count: of each fund its name is warned of, too.
  expect(own.length).toBeGreaterThan(1)
  expect(own.length).toBeLessThanOrEqual(10)
  for (const command of own) expect(command).toMatch(/^warning ::warning title=fundpress nightly%3A check::/)
  expect(own.join('')).not.toContain('##[')

  // Without its history, a run repeats all warnings.
  press.bucket.remove('nightly/history.json')
  const json = await nightly('--summary night.md --json --again', inWorkflow())
  expect(commandsIn(json)).toEqual(own)
  const warning = eventsOf(json).find(({ event }) => event === 'warning')
  expect(warning?.['message']).toContain('##[stop-commands]x::stop-commands')
  // The fence of the warnings is opened and closed, and nothing of them stands outside of it.
  const unfenced = read('night.md').replace(/\n(`{3,})text\n[^]*?\n\1\n/g, '')
  expect(unfenced).not.toMatch(/stop-commands|add-mask|<b>/)
  for (const output of read('outputs').trimEnd().split('\n'))
    expect(output).toMatch(
      /^(skipped|snapshot|slot|funds|documents|changed|written|bytes|cost|seconds|oldest-price|failed-step|reason|staged|refused|allow|refusal)=/,
    )

  const built = await press.bare('build --db funds.sqlite --out late --as-of 2026-11-20', workflow)
  expect(built.stdout).toContain('##\\u005bstop-commands]x')
  expect(built.code, built.stderr).toBe(0)
  expect(commandsIn(built)).toEqual([])
  const { slot = '' } = press.bucket.live() ?? {}
  press.bucket.put(`${slot}/::stop-commands::x`, '')
  press.bucket.put(`${slot}/##[stop-commands]x`, '')
  const verified = await press.fundpress('verify', workflow)
  expect(verified.code, verified.stderr).toBe(1)
  expect(commandsIn(verified)).toEqual([])
  editDatabase(db(), `UPDATE fund SET currency = ${sql(hostile)}`)
  const debugging = { ...workflow, FUNDPRESS_DEBUG: '1' }
  for (const [line, env] of [
    ['check --db funds.sqlite', workflow],
    ['check --db funds.sqlite --json', workflow],
    ['build --db funds.sqlite --out bad', workflow],
    ['build --db ##[stop-commands]x.sqlite', workflow],
    ['build --db ##[stop-commands]x.sqlite', debugging],
  ] as const) {
    const refused = await press.bare(line, env)
    expect({ line, code: refused.code, commands: commandsIn(refused) }).toEqual({
      line,
      code: 1,
      commands: [],
    })
  }
})
