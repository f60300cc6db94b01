/** The units of `templates/systemd`, as systemd and a shell take them, and those that `fundpress setup server` makes of them. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readWorkflow } from '../support/github/files.ts'
import { tempFolder } from '../support/product.ts'
import { lacks, shellcheck } from '../support/programs.ts'
import { expectSuccess } from './outcome.ts'
import { run } from './run.ts'
import { setupWords } from './setup-flags.ts'

const folder = tempFolder()
const templates = 'templates/systemd'
const filesIn = (place: string) =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1))
    .sort()
const textsIn = (place: string) =>
  Object.fromEntries(filesIn(place).map((file) => [file, readFileSync(join(place, file), 'utf8')]))

/** @returns the folder of units that setup writes */
async function unitsOf(name: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const dest = folder.file(name)
  await expectSuccess(run(setupWords('server', dest, more), { cwd: folder.path }))
  return join(dest, 'systemd')
}

it('setup writes the units of the template unless answers name another user, place or time', async () => {
  expect(textsIn(await unitsOf('same'))).toEqual(textsIn(templates))
})

it('setup changes user, folders and times, and nothing else', async () => {
  const more = { root: '/mnt/a', user: 'nights', database: '/data/funds.sqlite', at: '02:17', port: '8090' }
  const changed = textsIn(await unitsOf('other', more))
  const before = textsIn(templates)
  expect(Object.keys(changed)).toEqual(Object.keys(before))
  const differing = Object.entries(changed).flatMap(([file, text]) => {
    const lines = (before[file] ?? '').split('\n')
    return text.split('\n').flatMap((line, at) => (line === lines[at] ? [] : [line]))
  })
  const command = '/mnt/a/opt/fundpress/bin/fundpress --config /mnt/a/etc/fundpress/fundpress.config.json'
  expect(differing).toEqual([
    'User=nights',
    `ExecStart=/bin/sh /mnt/a/etc/fundpress/failed.sh %i ${command}`,
    'User=nights',
    `ExecStart=${command} nightly`,
    'ReadWritePaths=-/mnt/a/var/lib/fundpress -/data -/mnt/a/srv/fundpress',
    ...['02:17', '03:43', '05:11', '06:38'].map((time) => `OnCalendar=*-*-* ${time}:00 Europe/Berlin`),
    'User=nights',
    `ExecStart=${command} serve --trusted-proxies 127.0.0.1 --bucket file:///mnt/a/srv/fundpress`,
    'EnvironmentFile=-/mnt/a/etc/fundpress/serve-environment',
    'ListenStream=127.0.0.1:8090',
    'User=nights',
    `ExecStart=${command} verify --deep`,
    'OnCalendar=Sun *-*-* 11:39:00 Europe/Berlin',
    'User=nights',
    `ExecStart=${command} status --max-age 36h`,
    ...['09:26', '15:52'].map((time) => `OnCalendar=*-*-* ${time}:00 Europe/Berlin`),
    'EnvironmentFile=-/mnt/a/etc/fundpress/environment',
  ])
})

it('the timers run when the workflows run', () => {
  const texts = textsIn(templates)
  const cronsOf = (name: string) => {
    const time = /^OnCalendar=(Sun )?\*-\*-\* (\d\d):(\d\d):00 (Europe\/Berlin)$/gm
    const found = [...(texts[`fundpress-${name}.timer`] ?? '').matchAll(time)]
    return found.map(([, sunday, hour, minute, timezone]) => {
      const cron = `${Number(minute)} ${Number(hour)} * * ${sunday === undefined ? '*' : '0'}`
      return { cron, timezone }
    })
  }
  const scheduleOf = (name: string) => readWorkflow(`.github/workflows/${name}.yml`).on.schedule
  expect(cronsOf('nightly')).toEqual(scheduleOf('nightly'))
  expect([...cronsOf('watch'), ...cronsOf('verify')]).toEqual(scheduleOf('watch'))
})

describe.skipIf(lacks('systemd-analyze'))('systemd-analyze', () => {
  const analyze = (place: string, words: readonly string[], units: readonly string[]) =>
    spawnSync('systemd-analyze', [...words, ...units.map((unit) => `./${unit}`)], {
      cwd: place,
      encoding: 'utf8',
    })
  /** From 0 to 10: that of a unit without any hardening. */
  const exposureOf = (place: string, unit: string) => {
    const { stdout } = analyze(place, ['security', '--offline=yes', '--no-pager'], [unit])
    return Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])
  }

  it('accepts the units, and finds them hardened, also with the network that only those get who tell', async () => {
    const root = folder.file('root')
    const program = join(root, 'opt/fundpress/bin/fundpress')
    mkdirSync(dirname(program), { recursive: true })
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    const units = await unitsOf('hardened', { root })
    const names = readdirSync(units).filter((name) => /\.(service|socket|timer)$/.test(name))
    const services = names.filter((name) => name.endsWith('.service'))
    expect(services).toHaveLength(5)
    for (const network of ['none', 'some']) {
      if (network === 'some')
        copyFileSync(join(units, 'network.conf'), join(units, 'fundpress-.service.d/network.conf'))
      const { status, stderr } = analyze(units, ['verify'], names)
      expect({ network, status, stderr }).toEqual({ network, status: 0, stderr: '' })
      expect(services.filter((name) => !(exposureOf(units, name) < 2))).toEqual([])
    }
    // The unit that answers strangers gets neither network nor secret.
    expect(exposureOf(units, 'fundpress-watch.service')).toBeGreaterThan(1)
    expect(exposureOf(units, 'fundpress-serve.service')).toBeLessThan(1)
    const bare = folder.file('bare')
    mkdirSync(bare)
    copyFileSync(join(templates, 'fundpress-watch.service'), join(bare, 'fundpress-watch.service'))
    expect(exposureOf(bare, 'fundpress-watch.service')).toBeGreaterThan(2)
  })

  it.each([
    ['--bucket', 'file:///srv/fundpress', 'file:///srv/fundpress', 1],
    ['--out', '/srv/100% a$b', '"/srv/100%% a$$b"', 1],
    ['--bucket', 'fund-data', 'fund-data', 2],
  ])(
    'accepts the unit that `edge nginx` writes for %s %s, and finds it hardened',
    async (flag, source, word, limit) => {
      const place = folder.file(`edge-${source.length}`)
      const words = ['edge', 'nginx', flag, source, '--port', '8081', '--dest', place]
      await expectSuccess(run(words, { cwd: folder.path }))
      const file = join(place, 'fundpress-serve.service')
      const text = readFileSync(file, 'utf8')
      expect(text).toContain(` serve --trusted-proxies 127.0.0.1 ${flag} ${word}\n`)
      const socket = readFileSync(join(place, 'fundpress-serve.socket'), 'utf8')
      expect(socket).toContain('ListenStream=127.0.0.1:8081\n')
      writeFileSync(file, text.replace('/opt/fundpress/bin/fundpress', '/bin/true'))
      const { stderr } = analyze(place, ['verify'], ['fundpress-serve.socket', 'fundpress-serve.service'])
      // The unit that tells of failures is installed with the nights.
      expect(stderr.split('\n').filter((line) => !/^$|fundpress-failed@/.test(line))).toEqual([])
      expect(exposureOf(place, 'fundpress-serve.service')).toBeLessThan(limit)
    },
  )
})

describe('the script of failures', () => {
  const script = join(templates, 'failed.sh')

  it.skipIf(lacks('shellcheck'))('pleases shellcheck', () => {
    expect(shellcheck(readFileSync(script, 'utf8'))).toBe('')
  })

  it.each([
    ['exit-code', '1', false],
    ['oom-kill', 'KILL', true],
    ['timeout', 'TERM', false],
    [undefined, undefined, true],
  ])(
    'after %s %s it writes an alert; the program has not told yet, so it does: %s',
    (result, status, isTold) => {
      // MONITOR_… is what systemd gives a unit of OnFailure=.
      const env = { PATH: process.env['PATH'], MONITOR_SERVICE_RESULT: result, MONITOR_EXIT_STATUS: status }
      const words = [script, 'fundpress-nightly', 'printf', '%s\\n', '--config', 'a b.json']
      const { stdout } = spawnSync('/bin/sh', words, { env, encoding: 'utf8' })
      const [alert = '', ...told] = stdout.trimEnd().split('\n')
      const how = `${result ?? 'unknown'}, ${status ?? 'unknown'}`
      expect(alert).toMatch(/^<1>fundpress-nightly on \S+ has failed \(/)
      expect(alert).toContain(`(${how}): journalctl --unit fundpress-nightly`)
      const wanted = ['--config', 'a b.json', ...'notify --event failed --reason'.split(' ')]
      expect(told).toEqual(isTold ? [...wanted, alert.slice('<1>'.length)] : [])
    },
  )
})
