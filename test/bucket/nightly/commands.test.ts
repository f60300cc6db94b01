/** Names of funds, keys and settings never become commands of GitHub Actions, nor break a summary. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { buildNights } from '../../support/nights.ts'
import { openPress, type Press } from '../../support/press.ts'
import type { Run } from '../../support/product.ts'

let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(1, 2, { years: 1 }))
})
afterAll(() => press.stop())

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

it('this test finds commands of both forms', () => {
  const run = { code: 0, stderr: '' }
  const commands = ['  ::error title=a%3A b::x', 'a ##[add-mask]1', '::stop-commands::x', '{"a":"##[Group]"}']
  for (const stdout of commands) expect(commandsIn({ ...run, stdout })).toHaveLength(1)
  expect(commandsIn({ ...run, stdout: 'a ::error::x\n##\\u005badd-mask]1\n##[none]x' })).toEqual([])
})

it('a nightly run quotes hostile texts in log, summary and outputs without giving a command', async () => {
  const file = (name: string) => press.nights.folder.file(name)
  // A warning quotes it, and the night goes on.
  editDatabase(
    file('funds.sqlite'),
    `UPDATE fund SET name = ${sql(hostile)}; UPDATE profile SET category_de = ${sql(`${hostile.slice(0, 40)}\ufffd`)}`,
  )
  const env = { ...workflow, GITHUB_OUTPUT: file('outputs') }
  const line = 'nightly --db funds.sqlite --as-of 2026-11-11 --summary night.md'
  const plain = await press.fundpress(line, env)
  expect([plain.code, plain.stderr.includes('##\\u005bstop-commands]x')]).toEqual([0, true])
  const own = commandsIn(plain)
  // Nine and a count: of each fund its name is warned of, too.
  expect(own.length).toBeGreaterThan(1)
  expect(own.length).toBeLessThanOrEqual(10)
  for (const command of own) expect(command).toMatch(/^warning ::warning title=fundpress nightly%3A check::/)
  expect(own.join('')).not.toContain('##[')

  const json = await press.fundpress(`${line} --json --again`, env)
  expect(commandsIn(json)).toEqual(own)
  const told = json.stdout
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one) as { readonly event: string; readonly message?: string })
  expect(told.find(({ event }) => event === 'warning')?.message).toContain(
    '##[stop-commands]x::stop-commands',
  )

  const summary = readFileSync(file('night.md'), 'utf8')
  // The fence of the warnings is opened and closed, and nothing of them stands outside of it.
  expect(summary.replace(/\n(`{3,})text\n[^]*?\n\1\n/g, '')).not.toMatch(/stop-commands|add-mask|<b>/)
  const outputs = readFileSync(file('outputs'), 'utf8').trimEnd().split('\n')
  for (const output of outputs)
    expect(output).toMatch(
      /^(skipped|snapshot|slot|funds|documents|changed|written|bytes|cost|seconds|oldest-price|failed-step|reason)=/,
    )
})

it('builds, checks, refusals and unknown keys of a bucket give no commands', async () => {
  const late = 'build --db funds.sqlite --out late --as-of 2026-12-01'
  const built = await press.bare(late, workflow)
  expect([built.code, built.stdout.includes('##\\u005bstop-commands]x'), commandsIn(built)]).toEqual([
    0,
    true,
    [],
  ])
  const { slot = '' } = press.bucket.live() ?? {}
  press.bucket.put(`${slot}/::stop-commands::x`, '')
  press.bucket.put(`${slot}/##[stop-commands]x`, '')
  const verified = await press.fundpress('verify', workflow)
  expect([verified.code, commandsIn(verified)]).toEqual([1, []])
  editDatabase(press.nights.folder.file('funds.sqlite'), `UPDATE fund SET currency = ${sql(hostile)}`)
  for (const line of [
    'check --db funds.sqlite',
    'check --db funds.sqlite --json',
    'build --db funds.sqlite --out bad',
  ]) {
    const refused = await press.bare(line, workflow)
    expect([line, refused.code, commandsIn(refused)]).toEqual([line, 1, []])
  }
  for (const debugging of [{}, { FUNDPRESS_DEBUG: '1' }]) {
    const named = await press.bare(['build', '--db', '##[stop-commands]x.sqlite'], {
      ...workflow,
      ...debugging,
    })
    expect([named.code, commandsIn(named)]).toEqual([1, []])
  }
})
