/** The process around the program: Node, signals, terminals, pipes. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { openTerminal } from '../../src/core/cli/terminal.ts'
import { repository, tempFolder, withoutPages } from '../support/product.ts'
import { lacks } from '../support/programs.ts'
import { sample } from '../support/rounds.ts'
import { cleanEnvironment, ended, launcher, run, runAlone, start } from './run.ts'
import { expectFailure } from './outcome.ts'

const folder = tempFolder()
const inFolder = { cwd: folder.path }
beforeAll(async () => {
  await run('init --demo --db demo.sqlite --funds 30 --years 10 --until 2026-11-19', inFolder)
  await run('init --demo --db small.sqlite --funds 2 --years 1 --until 2026-11-19', inFolder)
})

describe('a signal', () => {
  const build = 'build --db demo.sqlite --out out --as-of 2026-11-20 --jobs 2 --quiet'
  const kept = ['demo.sqlite', 'small.sqlite']
  const isStaging = () => readdirSync(folder.path).some((name) => ![...kept, 'out'].includes(name))

  /** Sends signals once the work has begun: a sign of it is a file beside the result. */
  async function stop(child: ChildProcess, isWorking: () => boolean, ...signals: readonly NodeJS.Signals[]) {
    const end = ended(child)
    while (!isWorking() && child.exitCode === null) await setTimeout(10)
    await setTimeout(200)
    for (const signal of signals) child.kill(signal)
    return end
  }

  const stopped = (signal: NodeJS.Signals) => {
    return { code: null, signal, stdout: '', stderr: `fundpress: stopped by ${signal}\n` }
  }

  it('stops a build, which leaves nothing and ends by it; npm passes on the Ctrl-C that the process gets as well', async () => {
    expect(await stop(start(build, inFolder), isStaging, 'SIGINT', 'SIGINT')).toEqual(stopped('SIGINT'))
    expect(readdirSync(folder.path).sort()).toEqual(kept)
  })

  it('ends a server, even if a client holds its connection', async () => {
    await run('build --db small.sqlite --out small --quiet', inFolder)
    const child = start('serve --out small --port 0', inFolder)
    const end = ended(child)
    const [said] = (await once(child.stdout ?? child, 'data')) as [Buffer]
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.toString()) ?? []
    expect((await fetch(`${address}/api/v1/prices-current-all/`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await end).toMatchObject({ code: null, signal: 'SIGTERM', stderr: '' })
  })

  it.each([
    ['that comes a second time', 60_000, ''],
    ['whose time is over', 1, 'late: stopped by SIGINT\n'],
  ])('%s ends at once what does not stop by itself', async (_, limitMs, said) => {
    const stubborn = `
      import { watchSignals } from './src/core/system/signals.ts'
      const onLate = ({ message }) => console.error('late:', message)
      watchSignals(process, () => performance.now(), onLate, ${limitMs}).handle()
      setInterval(() => undefined, 1000)
      console.log('running')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', stubborn], { cwd: repository })
    const end = ended(child)
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    if (said === '') {
      await setTimeout(800)
      expect(child.signalCode).toBe(null)
      child.kill('SIGINT')
    }
    expect(await end).toMatchObject({ code: null, signal: 'SIGINT', stderr: said })
  })
})

// util-linux's `script` runs a command on a terminal of its own.
const hasTerminal = process.platform === 'linux' && !lacks('script')
const escape = '\u001b['
const old = 'check --db small.sqlite --as-of 2027-06-01'

describe.runIf(hasTerminal)('on a terminal', () => {
  const onTerminal = (line: string): string =>
    execFileSync('script', ['-qec', `${process.execPath} ${launcher} ${line}`, '/dev/null'], {
      ...inFolder,
      env: { ...cleanEnvironment(), ...withoutPages, TERM: 'xterm' },
      encoding: 'utf8',
    })

  it('findings are coloured', () => expect(onTerminal(old)).toContain(`${escape}33mwarning${escape}39m`))

  it.each(sample([`${old} --no-color`, `--no-color ${old}`]))('`%s` colours nothing', (line) => {
    const shown = onTerminal(line)
    expect(shown).toContain('warning  price: ')
    expect(shown).not.toContain(`${escape}33m`)
  })

  it.each([
    ['is coloured', true, {}],
    ['is not coloured', false, { NO_COLOR: '1' }],
    ['is not coloured', false, { TERM: 'dumb' }],
  ])('a text %s: %s with %j', (_, isColoured, environment) => {
    const stream = { isTTY: true } as unknown as NodeJS.WriteStream
    const { paint } = openTerminal(stream, { isRefused: false, environment })
    expect(paint('yellow', 'warning') !== 'warning').toBe(isColoured)
  })

  it('a build shows a bar and removes it at the end', () => {
    const shown = onTerminal('build --db demo.sqlite --out bar --as-of 2026-11-20')
    expect(shown).toMatch(/█*░+.* \d+ of 30 funds, [\d,]+ documents/)
    expect(shown).toContain(`\r${escape}Kwarning  baseUrl`)
    expect(onTerminal('build --db small.sqlite --out bar --as-of 2026-11-20 --quiet')).toBe('')
  })
})

describe('a pipe', () => {
  it('gets no colours', async () => {
    const { stdout } = await runAlone(old, inFolder)
    expect(stdout).toContain('warning  price: ')
    expect(stdout).not.toContain(escape)
  })

  it.each(['--help', old])('without a reader does not make `%s` fail', async (line) => {
    const child = start(line, inFolder)
    child.stdout?.destroy()
    expect(await ended(child)).toMatchObject({ code: 0, stderr: '' })
  })

  it('without a reader does not hide a failure', async () => {
    const child = start('check --db missing.sqlite', inFolder)
    child.stdout?.destroy()
    child.stderr?.destroy()
    expect(await ended(child)).toMatchObject({ code: 1 })
  })
})

/** Threads that never get a message, and keep no process alive. */
const deafThreads = `
  import { Worker } from 'node:worker_threads'
  Worker.prototype.postMessage = function () { this.unref() }`

it('the program fails if Node ends it before its work is done, because nothing keeps the process alive', async () => {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(deafThreads)}` }
  const line = 'build --db small.sqlite --out deaf --as-of 2026-11-20 --jobs 1 --quiet'
  const done = runAlone(line, { ...inFolder, env })
  await expectFailure(done, 'fundpress: it ended before its work was done. This is a bug in fundpress\n')
})

/** A Node on this machine that is too old for the program, if there is one. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((path) => join(path, 'node'))
  .find((node) => existsSync(node) && isTooOld(node))

function isTooOld(node: string): boolean {
  const version = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < 22 || (major === 22 && minor < 18)
}

it.runIf(oldNode !== undefined)('one line refuses an old Node and names the Node to install', async () => {
  const refusal =
    /^fundpress: this is Node [\d.]+; fundpress needs 22\.18 or later .*`npm run -s fundpress -- …`.*\n$/
  await expectFailure(runAlone('--version', { cwd: repository, node: oldNode ?? '' }), refusal)
})
