/** What a terminal sees, what a pipe sees, and a pipe whose reader has left. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../support/product.ts'
import { cleanEnvironment, ended, launcher, runAlone, start } from './run.ts'

const folder = makeTempFolder()
const inFolder = { cwd: folder.path }
const old = ['check', '--db', 'demo.sqlite', '--as-of', '2027-06-01']
beforeAll(async () => {
  await runAlone(
    ['demo', '--db', 'demo.sqlite', '--funds', '30', '--years', '1', '--until', '2026-11-19'],
    inFolder,
  )
})
afterAll(folder.remove)

// util-linux's `script` runs a command on a terminal of its own.
const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script')
const escape = '\u001b['

function onTerminal(args: readonly string[], env: Record<string, string> = {}): string {
  const command = [process.execPath, launcher, ...args].join(' ')
  return execFileSync('script', ['-qec', command, '/dev/null'], {
    ...inFolder,
    env: { ...cleanEnvironment(), TERM: 'xterm', ...env },
    encoding: 'utf8',
  })
}

describe.runIf(hasTerminal)('on a terminal', () => {
  it('findings are coloured', () => {
    expect(onTerminal(old)).toContain(`${escape}33mwarning${escape}39m`)
  })

  it.each([
    ['NO_COLOR', old, { NO_COLOR: '1' }],
    ['TERM=dumb', old, { TERM: 'dumb' }],
    ['--no-color', ['--no-color', ...old], {}],
    ['--no-color behind the command', [...old, '--no-color'], {}],
  ])('nothing is coloured with %s', (_, args, env) => {
    const shown = onTerminal(args, env)
    expect(shown).toContain('warning  price: ')
    expect(shown).not.toContain(`${escape}33m`)
  })

  it('a build shows a bar and removes it at the end', () => {
    const shown = onTerminal(['build', '--db', 'demo.sqlite', '--as-of', '2026-11-20'])
    expect(shown).toMatch(/█*░+.* \d+ of 30 funds, [\d,]+ documents/)
    expect(shown).toContain(`\r${escape}Ksnapshot `)
    expect(onTerminal(['build', '--db', 'demo.sqlite', '--as-of', '2026-11-20', '--quiet'])).toBe('')
  })
})

it('colours nothing in a pipe', async () => {
  const { stdout } = await runAlone(old, inFolder)
  expect(stdout).toContain('warning  price: ')
  expect(stdout).not.toContain(escape)
})

describe('a pipe whose reader has left', () => {
  it.each([
    [['--help'], 0],
    [old, 0],
    [['build', '--db', 'demo.sqlite', '--as-of', '2026-11-20'], 0],
  ])('ends %j quietly, with its own exit code', async (args, expected) => {
    const child = start(args, inFolder)
    child.stdout?.destroy()
    const { code, stderr } = await ended(child)
    expect({ code, stderr }).toEqual({ code: expected, stderr: '' })
  })

  it('does not hide a failure', async () => {
    const child = spawn(process.execPath, [launcher, 'check', '--db', 'missing.sqlite'], {
      ...inFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    child.stderr.destroy()
    expect(await ended(child)).toMatchObject({ code: 1 })
  })
})
