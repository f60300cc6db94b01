/** Help, version, and what is refused as wrong usage. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository, tempFolder } from '../support/product.ts'
import { run, runAlone } from './run.ts'
import { expectFailure, expectSuccess, oneLine } from './outcome.ts'

const folder = tempFolder()
const inFolder = { cwd: folder.path }

it.each([
  ['buld', "unknown command 'buld' (did you mean build?)"],
  ['check --bucket fund-data --db x.sqlite', '--db and --bucket together need --since'],
  ['init --db x.sqlite --funds 2', '--funds needs --demo'],
  ['build --jbos 3', "unknown option '--jbos' (did you mean --jobs?)"],
  ['build --frobnicate', "unknown option '--frobnicate' (see fundpress build --help)"],
  ['build --db', "option '--db <file>' argument missing (see fundpress build --help)"],
  ['build surplus', 'too many arguments'],
  ['build --db x.sqlite --jobs many', "'many' is invalid. It must be a whole number from 1 to 256"],
  ['build --db x.sqlite --jobs -1', '--jobs'],
  ['build --as-of 2023-02-30', "'2023-02-30' is invalid. It must be a day that exists, as YYYY-MM-DD"],
  ['build --db x.sqlite --only DE0008471400 DE0008471401', "'DE0008471401' is invalid. It must be an ISIN"],
  ['build --db x.sqlite --docs-url docs.example.com', 'It must be an absolute http or https URL'],
  ['build', '--db <file> is missing (or FUNDPRESS_DB, or "db" in fundpress.config.json)'],
  ['init --demo --seed=-1', "'-1' is invalid"],
  ['publish', '--bucket <name> is missing (or FUNDPRESS_BUCKET_NAME, or "bucket.name"'],
  ['publish --bucket Fund_Data', 'It must be a bucket name'],
  ['rollback --bucket fund-data --to yesterday', "'yesterday' is invalid. It must be a snapshot id"],
  ['serve --bucket fund-data --out out', '--out and --bucket exclude each other'],
  ['init --demo --config nowhere.json', 'config file nowhere.json does not exist (--config)'],
])('refuses `fundpress %s` in one line, with exit code 2 and nothing done', async (line, reason) => {
  await expectFailure(run(line, inFolder), [oneLine, reason], 2)
  expect(readdirSync(folder.path)).toEqual([])
})

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
      expect([command, wrong]).toEqual([command, null])
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
