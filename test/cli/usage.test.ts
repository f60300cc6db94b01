/** Help, version, and stack traces. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository, tempFolder } from '../support/product.ts'
import { run, runAlone } from './run.ts'
import { expectFailure, expectSuccess } from './outcome.ts'

const folder = tempFolder()
const inFolder = { cwd: folder.path }

it('FUNDPRESS_DEBUG=1 adds the stack trace of an error', async () => {
  const line = 'check --db missing.sqlite'
  await expectFailure(run(line, inFolder), /^fundpress: missing\.sqlite does not exist.*\n$/)
  await expectFailure(run(line, { ...inFolder, env: { FUNDPRESS_DEBUG: '1' } }), /\n +at .+open\.ts/)
})

describe('help', () => {
  it('lists the commands, the exit codes and where settings come from', async () => {
    const stdout = await expectSuccess(runAlone('--help', inFolder))
    const named = 'init import check build serve plan publish flip status verify rollback nightly'
    for (const command of named.split(' ')) expect(stdout).toMatch(`\n  ${command} `)
    expect(stdout).toContain('Exit codes: 0 done, 1 failed')
    expect(stdout).toContain('FUNDPRESS_')
  })

  it('says what every flag does, and the default, variable and config key of a setting', async () => {
    const helpOf = async (command: string) =>
      (await run(`${command} --help`, inFolder)).stdout.replace(/\s+/g, ' ')
    expect(await helpOf('serve')).toContain('(default: 8080; env: FUNDPRESS_SERVE_PORT; config: serve.port)')
    const { stdout } = await run('--help', inFolder)
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = '']) => name)
    expect(commands).toContain('build')
    for (const command of commands) {
      const { stdout: text } = await run(`${command} --help`, inFolder)
      expect(text).toMatch(new RegExp(`Examples:\n  # .+\n  fundpress ${command}`))
      for (const option of ['--config', '--quiet', '--no-color']) expect(text).toContain(` ${option} `)
      expect(await expectSuccess(run(['help', command], inFolder))).toBe(text)
      const help = text.replace(/\s+/g, ' ')
      const wrong = /No whether[^;]*|default: [;)]|--\S+ (?:<\S+> )?Whether/i.exec(help)
      expect({ command, wrong }).toEqual({ command, wrong: null })
    }
    const help = await helpOf('build')
    for (const text of [
      '--no-downloads No files for analysts beside the documents (CSV, Parquet, SQLite) (env: FUNDPRESS_DOWNLOADS=false; config: "downloads": false)',
      '(default: none; env: FUNDPRESS_BUCKET_PREFIX; config: bucket.prefix)',
      '--path-style The path of a URL names the bucket, not the host name (default: false; env',
    ])
      expect(help).toContain(text)
  })

  it('goes to stderr with exit code 2 when no command is given', async () =>
    expectFailure(runAlone([], inFolder), 'Usage: fundpress', 2))
})

it('prints the version of package.json', async () => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  expect(await expectSuccess(runAlone('--version', inFolder))).toBe(`${version}\n`)
})
