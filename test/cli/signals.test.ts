/** Ctrl-C and SIGTERM: the shell learns of them, and nothing is left half-made. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTempFolder, repository } from '../support/product.ts'
import { ended, runAlone, start } from './run.ts'

const folder = makeTempFolder()
const inFolder = { cwd: folder.path }
const build = [
  'build',
  '--db',
  'demo.sqlite',
  '--out',
  'out',
  '--as-of',
  '2026-11-20',
  '--jobs',
  '2',
  '--quiet',
]
beforeAll(async () => {
  await runAlone(
    ['demo', '--db', 'demo.sqlite', '--funds', '60', '--years', '10', '--until', '2026-11-19'],
    inFolder,
  )
})
afterAll(folder.remove)

/** Waits for work to have begun: a sign of it is a file beside the result. */
async function workOf(child: ChildProcess, sign: () => boolean): Promise<void> {
  while (!sign() && child.exitCode === null) await setTimeout(10)
  await setTimeout(200)
}

const isStaging = () => readdirSync(folder.path).some((name) => name !== 'out' && name !== 'demo.sqlite')

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a build that is stopped by %s leaves nothing, and a shell sees %i', async (signal, _status) => {
  const child = start(build, inFolder)
  const end = ended(child)
  await workOf(child, isStaging)
  child.kill(signal)
  expect(await end).toEqual({ code: null, signal, stdout: '', stderr: `fundpress: stopped by ${signal}\n` })
  expect(readdirSync(folder.path)).toEqual(['demo.sqlite'])
})

it('a build that is stopped leaves the old snapshot as it was', async () => {
  expect(await runAlone(build, inFolder)).toMatchObject({ code: 0 })
  const sums = readFileSync(folder.file('out/SHA256SUMS'), 'utf8')
  const child = start(build, inFolder)
  const end = ended(child)
  await workOf(child, isStaging)
  child.kill('SIGINT')
  expect(await end).toMatchObject({ signal: 'SIGINT' })
  expect(readdirSync(folder.path).sort()).toEqual(['demo.sqlite', 'out'])
  expect(readFileSync(folder.file('out/SHA256SUMS'), 'utf8')).toBe(sums)
})

it('a demo that is stopped leaves nothing', async () => {
  const child = start(['demo', '--db', 'made/big.sqlite', '--funds', '5000', '--quiet'], inFolder)
  const end = ended(child)
  await workOf(child, () => existsSync(folder.file('made')) && readdirSync(folder.file('made')).length > 0)
  child.kill('SIGINT')
  expect(await end).toMatchObject({ signal: 'SIGINT', stderr: 'fundpress: stopped by SIGINT\n' })
  expect(existsSync(folder.file('made')) ? readdirSync(folder.file('made')) : []).toEqual([])
})

it('the same Ctrl-C, passed on by npm, is not taken for a second one', async () => {
  const child = start(build, inFolder)
  const end = ended(child)
  await workOf(child, isStaging)
  child.kill('SIGINT')
  child.kill('SIGINT')
  expect(await end).toMatchObject({ signal: 'SIGINT', stderr: 'fundpress: stopped by SIGINT\n' })
  expect(isStaging()).toBe(false)
})

it('a server that is stopped ends by the signal, though a client holds its connection', async () => {
  const small = makeTempFolder()
  await runAlone(['demo', '--funds', '1', '--years', '1', '--quiet'], { cwd: small.path })
  await runAlone(['build', '--db', 'data/demo.sqlite', '--quiet'], { cwd: small.path })
  const child = start(['serve', '--port', '0'], { cwd: small.path })
  const end = ended(child)
  const [said] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.toString()) ?? []
  expect((await fetch(`${address}/api/v1/prices-current-all/`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await end).toMatchObject({ code: null, signal: 'SIGTERM', stderr: '' })
  small.remove()
})

it('a second Ctrl-C ends at once what does not stop by itself', async () => {
  const stubborn = `
    import { watchSignals } from './src/system/signals.ts'
    watchSignals(process, () => performance.now())
    setInterval(() => undefined, 1000)
    console.log('running')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', stubborn], { cwd: repository })
  const end = ended(child)
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  await setTimeout(800)
  expect(child.signalCode).toBe(null)
  child.kill('SIGINT')
  expect(await end).toMatchObject({ code: null, signal: 'SIGINT' })
})
