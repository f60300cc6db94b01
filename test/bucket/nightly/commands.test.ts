/** Names of funds, keys and settings never become commands of GitHub Actions, nor break a summary. */
import { expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import type { Run } from '../../support/product.ts'
import { db, eventsOf, inWorkflow, nightly, press, read, useNights } from './nightly.ts'

useNights()

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

it('nightly runs and other commands quote hostile texts without giving a command', async () => {
  // A warning quotes it, and the run continues.
  const category = sql(`${hostile.slice(0, 40)}\ufffd`)
  editDatabase(db(), `UPDATE fund SET name = ${sql(hostile)}; UPDATE profile SET category_de = ${category}`)
  const plain = await nightly('--summary night.md', inWorkflow())
  expect([plain.code, plain.stderr.includes('##\\u005bstop-commands]x')]).toEqual([0, true])
  const own = commandsIn(plain)
  // Nine and a count: of each fund its name is warned of, too.
  expect(own.length).toBeGreaterThan(1)
  expect(own.length).toBeLessThanOrEqual(10)
  for (const command of own) expect(command).toMatch(/^warning ::warning title=fundpress nightly%3A check::/)
  expect(own.join('')).not.toContain('##[')

  const json = await nightly('--summary night.md --json --again', inWorkflow())
  expect(commandsIn(json)).toEqual(own)
  const warning = eventsOf(json).find(({ event }) => event === 'warning')
  expect(warning?.['message']).toContain('##[stop-commands]x::stop-commands')
  // The fence of the warnings is opened and closed, and nothing of them stands outside of it.
  const unfenced = read('night.md').replace(/\n(`{3,})text\n[^]*?\n\1\n/g, '')
  expect(unfenced).not.toMatch(/stop-commands|add-mask|<b>/)
  for (const output of read('outputs').trimEnd().split('\n'))
    expect(output).toMatch(
      /^(skipped|snapshot|slot|funds|documents|changed|written|bytes|cost|seconds|oldest-price|failed-step|reason)=/,
    )

  const built = await press.bare('build --db funds.sqlite --out late --as-of 2026-12-01', workflow)
  expect(built.stdout).toContain('##\\u005bstop-commands]x')
  expect([built.code, commandsIn(built)]).toEqual([0, []])
  const { slot = '' } = press.bucket.live() ?? {}
  press.bucket.put(`${slot}/::stop-commands::x`, '')
  press.bucket.put(`${slot}/##[stop-commands]x`, '')
  const verified = await press.fundpress('verify', workflow)
  expect([verified.code, commandsIn(verified)]).toEqual([1, []])
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
    expect([line, refused.code, commandsIn(refused)]).toEqual([line, 1, []])
  }
})
