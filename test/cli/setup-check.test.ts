/** How far `fundpress setup --check` says that a set-up has come. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../support/product.ts'
import { lacks } from '../support/programs.ts'
import { expectSuccess } from './outcome.ts'
import { run } from './run.ts'
import { setupWords, targets } from './setup-flags.ts'

const folder = tempFolder()
const inFolder = { cwd: folder.path }
function addToConfig(dest: string, settings: object): void {
  const file = join(dest, 'fundpress.config.json')
  const config = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...config, ...settings }))
}

it('--check says that the program is not installed and that no timer is enabled', async () => {
  const root = folder.file('fresh-root')
  const dest = folder.file('fresh')
  await expectSuccess(run(setupWords('server', dest, { root }), inFolder))
  const { stdout } = await run(['setup', '--check', '--dest', dest], inFolder)
  if (!lacks('systemd-analyze'))
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
  addToConfig(dest, { notify: [{ type: 'webhook', url: 'env:CHAT' }] })
  expect(await network()).toMatch(
    /^failed +network +PrivateNetwork=yes cuts off fundpress-failed@\.service, fundpress-nightly\.service, fundpress-verify\.service, fundpress-watch\.service, but notify needs it: copy systemd\/network\.conf /,
  )
  const units = join(dest, 'systemd')
  copyFileSync(join(units, 'network.conf'), join(units, 'fundpress-.service.d/network.conf'))
  expect(await network()).toMatch(/^ok +network +the units have it, for notify$/)
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
  const env = { FUNDPRESS_NOTIFY_URL: 'https://hooks.example.com/a' }
  const said = await expectSuccess(run('notify --test --dry-run', { cwd: dest, env }))
  expect(said).toContain('webhook (hooks.example.com): would be told')
})

describe('--check of a repository', () => {
  const dest = folder.file('company')
  const workflows = join(dest, '.github/workflows')
  const check = () => run(['setup', '--check', '--dest', dest], inFolder)

  it('accepts what setup has written', async () => {
    await expectSuccess(run(setupWords('aws', dest), inFolder))
    expect(await expectSuccess(check())).toBe(
      'ok      config            fundpress.config.json is valid\n' +
        'ok      workflows         nightly.yml, watch.yml\n',
    )
  })

  it('fails if two workflows publish on a schedule', async () => {
    copyFileSync(join(workflows, 'nightly.yml'), join(workflows, 'nightly-2.yml'))
    const { code, stdout } = await check()
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^failed +workflows +nightly-2\.yml and nightly\.yml publish on a schedule: only one may/m,
    )
  })

  it('fails if the workflows are gone', async () => {
    rmSync(workflows, { recursive: true })
    const { code, stdout, stderr } = await check()
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^failed +workflows +.* has no workflow that publishes on a schedule: run `fundpress setup`$/m,
    )
    expect(stderr).toBe('fundpress: 1 step failed: correct the first one, then check again\n')
  })
})
