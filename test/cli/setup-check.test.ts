/** How far `fundpress setup --check` says that a set-up has come. */
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { tempFolder } from '../support/product.ts'
import { credentials } from '../support/publishing.ts'
import { expectSuccess } from './outcome.ts'
import { ended, run, start } from './run.ts'
import { setupWords, targets } from './setup-flags.ts'

const folder = tempFolder()
const inFolder = { cwd: folder.path }
function addToConfig(dest: string, settings: object): void {
  const file = join(dest, 'fundpress.config.json')
  const config = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...config, ...settings }))
}

const isRoot = process.getuid?.() === 0
it.runIf(isRoot)('--check by root leaves nothing in the bucket of another user', async () => {
  const bucket = folder.file('srv')
  mkdirSync(bucket)
  chownSync(bucket, 65_534, 65_534)
  const dest = folder.file('server')
  await expectSuccess(run(setupWords('server', dest, { bucket: `file://${bucket}` }), inFolder))
  const { code, stdout } = await run(['setup', '--check', '--dest', dest], inFolder)
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^failed +user +.* run this as that user/m)])
  expect(readdirSync(bucket)).toEqual([])
})

it('--check says that the program is not installed and that no timer is enabled', async () => {
  const root = folder.file('fresh-root')
  const dest = folder.file('fresh')
  await expectSuccess(run(setupWords('server', dest, { root }), inFolder))
  const { stdout } = await run(['setup', '--check', '--dest', dest], inFolder)
  if (existsSync('/usr/bin/systemd-analyze'))
    expect(stdout).toMatch(/^to do +units +the program that they run is not there: install it$/m)
  expect(stdout).toMatch(
    /^to do +timers +not enabled: fundpress-nightly\.timer, fundpress-serve\.socket, fundpress-verify\.timer, fundpress-watch\.timer$/m,
  )
})

it('--check finds units without network if the config file has a target, until they get it', async () => {
  const dest = folder.file('cut-off')
  await expectSuccess(run(setupWords('server', dest, { root: folder.file('cut-off-root') }), inFolder))
  const network = async () => {
    const { stdout } = await run(['setup', '--check', '--dest', dest], inFolder)
    return stdout.split('\n').find((line) => line.includes(' network '))
  }
  expect(await network()).toMatch(/^ok +network +the units need none: nobody is told$/)
  addToConfig(dest, { notify: [{ type: 'slack', url: 'env:CHAT' }] })
  expect(await network()).toMatch(
    /^failed +network +PrivateNetwork=yes cuts off fundpress-failed@\.service, fundpress-nightly\.service, fundpress-verify\.service, fundpress-watch\.service, but notify needs it: copy systemd\/network\.conf /,
  )
  const units = join(dest, 'systemd')
  copyFileSync(join(units, 'network.conf'), join(units, 'fundpress-.service.d/network.conf'))
  expect(await network()).toMatch(/^ok +network +the units have it, for notify$/)
  // As earlier releases have written it.
  writeFileSync(join(units, 'fundpress-watch.service'), '[Service]\nPrivateNetwork=yes\n')
  expect(await network()).toMatch(/^ok /)
  rmSync(join(units, 'fundpress-.service.d'), { recursive: true })
  expect(await network()).toMatch(
    /^failed +network +PrivateNetwork=yes cuts off fundpress-watch\.service, but/,
  )
})

it.each(targets)('the notices in the checklist of %s are a part of a valid config file', async (target) => {
  const dest = folder.file(`notices-${target}`)
  await expectSuccess(run(setupWords(target, dest), inFolder))
  const checklist = readFileSync(join(dest, 'SETUP.md'), 'utf8')
  const [, notices = ''] = /^```json\n("notify": [^]*?)\n```$/m.exec(checklist) ?? []
  addToConfig(dest, JSON.parse(`{${notices}}`) as object)
  const env = {
    FUNDPRESS_NOTIFY_URL: 'https://hooks.example.com/a',
    FUNDPRESS_NOTIFY_SMTP: 'smtps://user:password@mail.example.com:465',
  }
  const said = await expectSuccess(run('notify --test --dry-run', { cwd: dest, env }))
  expect(said).toContain('slack (hooks.example.com): would be told')
  expect(said).toContain('mail (mail.example.com:465): would be told')
})

describe('--check', () => {
  let press: Press
  const dest = () => press.nights.folder.file('company')
  beforeAll(async () => {
    press = await openPress(await buildNights(1, 1, { years: 1, isSmall: true }))
    await expectSuccess(run(setupWords('aws', dest(), { bucket: 'funds', region: 'us-east-1' }), inFolder))
    mkdirSync(join(dest(), 'edge'))
    writeFileSync(join(dest(), 'edge/template.json'), '{}')
  })
  afterAll(() => press.stop())

  const words = ['setup', '--check', '--dest', 'company'] as const
  const surroundings = () => ({
    // The prices of the nights are older than the day of this run.
    FUNDPRESS_FRESHNESS_MAX_STALE_SHARE: '1',
    FUNDPRESS_BUCKET_ENDPOINT: press.server.endpoint,
    FUNDPRESS_BUCKET_PATH_STYLE: 'true',
    // Without the `aws` of this machine, which would look for real roles.
    PATH: dirname(process.execPath),
  })
  const check = (env = {}, ...more: readonly string[]) =>
    press.bare([...words, ...more], { ...surroundings(), ...env })
  const stateOf = (stdout: string) =>
    Object.fromEntries(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => {
          const [state = '', what = ''] = line.split(/ {2,}/)
          return [what, state]
        }),
    )

  it('goes through the checklist up to a plan of the first night, and publishes nothing', async () => {
    const { code, stdout } = await check({}, '--database', 'funds.sqlite')
    expect(stateOf(stdout)).toMatchObject({
      ...{ config: 'ok', company: 'ok', workflows: 'ok', credentials: 'ok', 'conditional put': 'ok' },
      // It is not marked as complete: a night would refuse it.
      ...{ build: 'ok', load: 'to do', plan: 'ok', edge: 'to do' },
    })
    expect(stdout).toMatch(
      /^to do +load +funds\.sqlite is not marked as complete: .*`fundpress import --complete`$/m,
    )
    expect(code).toBe(0)
    expect(press.bucket.keys()).toEqual([])
    expect(stdout).toMatch(/^ok +build +1 funds?, \d+ documents/m)
  })

  /** What it says of the roles if the stack has these outputs. */
  const rolesWith = async (...outputs: readonly string[]) => {
    const bin = press.nights.folder.file('bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'aws'), `#!/bin/sh\necho '${JSON.stringify(outputs)}'\n`, { mode: 0o755 })
    const { stdout } = await check({ PATH: `${bin}:${process.env['PATH'] ?? ''}` })
    return stdout.split('\n').find((line) => line.includes(' roles '))
  }
  const plain = ['Address', 'PublisherRoleArn', 'WatchRoleArn']

  it('asks `aws` whether the stack has made the roles that the workflows need', async () => {
    expect(await rolesWith(...plain)).toMatch(/^ok +roles +stack fundpress-funds has made them$/)
    expect(await rolesWith('Address')).toMatch(
      /^failed +roles +stack fundpress-funds has no PublisherRoleArn, WatchRoleArn: deploy it again/,
    )
    expect(await rolesWith(...plain, 'FlipRoleArn')).toMatch(/^ok +roles .* for nights with an approval/)
    expect(stateOf((await check()).stdout)['roles']).toBe('to do')
  })

  it('fails if two workflows publish on a schedule', async () => {
    const workflows = join(dest(), '.github/workflows')
    const before = readFileSync(join(workflows, 'nightly.yml'), 'utf8')
    writeFileSync(join(workflows, 'nightly-2.yml'), before)
    const { code, stdout } = await check()
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        /^failed +workflows +nightly-2\.yml and nightly\.yml publish on a schedule: only one may/m,
      ),
    ])
    rmSync(join(workflows, 'nightly-2.yml'))
  })

  it('removes what a killed one has left of its build', async () => {
    const place = press.nights.folder.file('tmp')
    mkdirSync(place)
    const left = () => readdirSync(place).filter((name) => /^\.?fundpress-/.test(name))
    const env = { ...surroundings(), ...credentials, TMPDIR: place }
    const options = { cwd: press.nights.folder.path, env }
    const child = start([...words, '--database', 'funds.sqlite'], options)
    const kill = () => left().length > 0 && child.kill('SIGKILL')
    press.server.faults([{ kind: 'call', when: 'before', run: kill }])
    expect((await ended(child)).signal).toBe('SIGKILL')
    press.server.faults([])
    expect(left()).toHaveLength(1)
    await expectSuccess(check({ TMPDIR: place }, '--database', 'funds.sqlite'))
    expect(left()).toEqual([])
  })

  it('fails at a bucket that is not there, at a wrong database and at workflows that are gone', async () => {
    writeFileSync(press.nights.folder.file('text.sqlite'), 'no database')
    const workflows = join(dest(), '.github/workflows')
    rmSync(workflows, { recursive: true })
    const { code, stdout, stderr } = await check(
      { FUNDPRESS_BUCKET_NAME: 'nix' },
      '--database',
      'text.sqlite',
    )
    expect(stateOf(stdout)).toMatchObject({ workflows: 'failed', bucket: 'failed', night: 'failed' })
    expect([code, stderr]).toEqual([
      1,
      'fundpress: 3 steps failed: correct the first one, then check again\n',
    ])
  })
})
