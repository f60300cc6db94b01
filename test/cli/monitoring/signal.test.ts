/** Notices of a run that a signal stops: a scheduler's signal sends one, Ctrl-C at a terminal does not. */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { asOf, fileOf, press, read, useNights } from '../../bucket/nightly/nightly.ts'
import { isMissing, lacks } from '../../support/programs.ts'
import { listen, useReceiver } from '../../support/receiver.ts'
import { ended, launcher } from '../run.ts'

useNights(1)

const receiver = useReceiver()
beforeEach(() => {
  const targets = [
    { type: 'webhook', url: receiver.url('/all') },
    { type: 'command', command: ['tee', 'told.json'] },
  ]
  writeFileSync(fileOf('fundpress.config.json'), JSON.stringify({ notify: targets }))
  rmSync(fileOf('told.json'), { force: true })
})

/** A nightly run whose bucket is silent: it gets the signal when it asks. */
const stopNight = async () => {
  const silent = createServer(() => child.kill('SIGINT'))
  const port = await listen(silent)
  const line = `nightly --db funds.sqlite --as-of ${asOf} --endpoint http://127.0.0.1:${port}`
  const { child, end } = press.begin(line)
  const done = await end
  silent.closeAllConnections()
  silent.close()
  return done
}

// `bucket/stop.test.ts` has SIGTERM.
it('SIGINT of a scheduler sends a notice before the run ends by it', async () => {
  expect(await stopNight()).toMatchObject({ code: null, signal: 'SIGINT' })
  const told = receiver.take()
  expect(told).toMatchObject([
    { event: 'failed', title: 'fundpress 2026-11-11: failed in night', reason: 'stopped by SIGINT' },
  ])
  expect([JSON.parse(read('told.json'))]).toEqual(told)
})

const lacksTerminal = isMissing(process.platform === 'linux') || lacks('python3')

it.skipIf(lacksTerminal)('Ctrl-C at a terminal sends no notice', async () => {
  const silent = createServer(() => python.stdin.write('\u0003'))
  const port = await listen(silent)
  const line = [launcher, 'nightly', '--db', 'funds.sqlite', '--as-of', asOf, '--bucket', 'funds']
  const on = ['--endpoint', `http://127.0.0.1:${port}`, '--region', 'eu-central-1', '--path-style']
  const script = 'import pty, sys; pty.spawn(sys.argv[1:])'
  const env = { ...process.env, AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
  const python = spawn('python3', ['-c', script, process.execPath, ...line, ...on], {
    cwd: fileOf('.'),
    env,
  })
  const { stdout } = await ended(python)
  expect(stdout).toContain('fundpress: stopped by SIGINT')
  expect(receiver.take()).toEqual([])
  expect(existsSync(fileOf('told.json'))).toBe(false)
  silent.closeAllConnections()
  silent.close()
})
