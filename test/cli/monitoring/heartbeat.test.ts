/** The heartbeat of a nightly run: what healthchecks.io and Uptime Kuma get, and what happens if they do not answer as they should. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import {
  asOf,
  fileOf,
  nightly,
  nightlyOf,
  nothingToDo,
  press,
  read,
  stepsOf,
  useNights,
} from '../../bucket/nightly/nightly.ts'
import type { Run } from '../../support/product.ts'
import { statuses, useReceiver } from '../../support/receiver.ts'
import { holdBack } from '../../support/two-nights.ts'

useNights(1)
const monitor = useReceiver()

/** Stands in every address, and may stand nowhere else. */
const secret = 'c7f0a1b2-hunter2'
const checkPath = `/ping/${secret}`
const pushPath = `/api/push/${secret}`
const env = (path: string, more = {}) => ({ FUNDPRESS_HEARTBEAT_URL: monitor.url(path), ...more })

/** `POST /start` for example: the path behind the check's own. */
const pings = () => monitor.received.map(({ method, path }) => `${method} ${path.replace(checkPath, '')}`)
const bodyOf = (path: string) => monitor.received.findLast((one) => one.path === path)?.body ?? ''
const withoutTimes = (text: string) => text.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}/gm, '')

function expectNoSecret({ stdout, stderr }: Run): void {
  const summary = existsSync(fileOf('night.md')) ? read('night.md') : ''
  const history = press.bucket.keys('nightly/').map((key) => press.bucket.body(key).toString())
  expect([stdout, stderr, summary, ...history].join('\n')).not.toContain(secret)
}
const warningOf = (reason: string) => `warning  night: heartbeat: ${monitor.host()}: ${reason}\n`

describe('healthchecks.io', () => {
  it('hears of the start, before anything else happens, and of success, with the last lines of the log', async () => {
    let requestsAtStart = -1
    monitor.answerWith((response, { path }) => {
      if (path.endsWith('/start')) requestsAtStart = press.requests()
      response.end('OK')
    })
    const run = await nightly('--summary night.md', env(`${checkPath}/?create=1`))
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(monitor.received.map(({ query }) => query.get('create'))).toEqual(['1', '1'])
    expect([pings(), requestsAtStart]).toEqual([['POST /start', 'POST '], 0])
    const runs = new Set(monitor.received.map(({ query }) => query.get('rid')))
    expect([...runs]).toEqual([expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)])
    expect(withoutTimes(bodyOf(checkPath))).toBe(run.stdout)
    expectNoSecret(run)
  })

  it('hears of success if there is nothing to do; the log has its lines also with --quiet and --json', async () => {
    await nightly()
    const { snapshot = '' } = press.bucket.live() ?? {}
    const line = `night    ${snapshot} is already live in blue, made from this very database: nothing to do\n`
    expect(await nightly('--quiet', env(checkPath))).toEqual({ code: 0, stdout: '', stderr: '' })
    expect([pings(), withoutTimes(bodyOf(checkPath))]).toEqual([['POST /start', 'POST '], line])
    const run = await nightly('--json', env(checkPath))
    expect([stepsOf(run), withoutTimes(bodyOf(checkPath))]).toEqual([nothingToDo, line])
  })

  it('hears of a refusal and of a failure, with the reason at the end of the log', async () => {
    await nightlyOf('2026-11-12')
    expect((await nightly('', env(checkPath))).code).toBe(3)
    expect(pings()).toEqual(['POST /start', 'POST /fail'])
    const lines = bodyOf(`${checkPath}/fail`).split('\n')
    expect(lines.at(-1)).toBe('')
    expect(lines.at(-2)).toMatch(/^refused in publish: .* it is of 2026-11-11, older than the live one/)
    expect(bodyOf(`${checkPath}/fail`)).toMatch(/^\S+Z {2}plan {5}\d+ to put/m)
    const run = await press.fundpress('nightly --db none.sqlite', env(checkPath))
    expect(run.code).toBe(1)
    expect(bodyOf(`${checkPath}/fail`)).toMatch(/^failed in night: none\.sqlite does not exist/)
  })

  it('gets the end of a log that is too long for it, from the beginning of a line', async () => {
    // A warning each.
    const groups = Array.from({ length: 99 }, () => ({ category: 'x'.repeat(990), never: true }))
    writeFileSync(fileOf('fundpress.config.json'), JSON.stringify({ freshness: { groups } }))
    const run = await nightly('--json', env(checkPath))
    rmSync(fileOf('fundpress.config.json'))
    expect(run.code).toBe(0)
    const body = bodyOf(checkPath)
    expect(Buffer.byteLength(body)).toBeGreaterThan(98_000)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(100_000)
    expect(body).toMatch(/^\S+Z {2}warning {2}check: [^\n]*x{900}/)
    expect(body).toMatch(/Z {2}night {4}done in [^\n]*\n$/)
  })

  it('hears of a publish that SIGTERM stops, as the metrics do', async () => {
    const line = `nightly --db funds.sqlite --as-of ${asOf} --metrics night.prom`
    const { child, end } = press.begin(line, env(checkPath))
    press.server.faults([holdBack(/^blue\/api/, () => child.kill('SIGTERM'))])
    expect(await end).toMatchObject({ signal: 'SIGTERM' })
    expect(pings()).toEqual(['POST /start', 'POST /fail'])
    expect(bodyOf(`${checkPath}/fail`)).toMatch(/failed in publish: stopped by SIGTERM\n$/)
    expect(press.bucket.live()).toBeUndefined()
    expect(read('night.prom')).toMatch(/^fundpress_nightly_result\{.*result="failed"\} 1$/m)
  })
})

describe('Uptime Kuma', () => {
  it('hears of the end alone: up or down, why, and the duration in milliseconds', async () => {
    const run = await nightly('', env(`${pushPath}?status=up&msg=OK&ping=`))
    expect(run.code).toBe(0)
    await press.fundpress('nightly --db none.sqlite', env(pushPath))
    const [up, down, ...more] = monitor.received
    expect(more).toEqual([])
    expect([up?.method, up?.path, down?.path]).toEqual(['GET', pushPath, pushPath])
    const { snapshot = '' } = press.bucket.live() ?? {}
    expect(Object.fromEntries(up?.query ?? [])).toEqual({
      status: 'up',
      msg: `${snapshot} is live`,
      ping: expect.stringMatching(/^[1-9]\d*$/) as string,
    })
    const msg = expect.stringMatching(/^failed in night: none\.sqlite does not exist/) as string
    expect(Object.fromEntries(down?.query ?? [])).toMatchObject({ status: 'down', msg })
    expectNoSecret(run)
  })

  it('is what heartbeat.service says, whatever the address looks like', async () => {
    await nightly('', env('/kuma', { FUNDPRESS_HEARTBEAT_SERVICE: 'uptime-kuma' }))
    await nightly('', env(pushPath, { FUNDPRESS_HEARTBEAT_SERVICE: 'healthchecks' }))
    const got = monitor.received.map(({ method, path }) => `${method} ${path}`)
    expect(got).toEqual(['GET /kuma', `POST ${pushPath}/start`, `POST ${pushPath}`])
  })
})

describe('a monitor that does not take the heartbeat', () => {
  it('is asked again if it failed for a moment', async () => {
    monitor.answerWith(statuses(500, 200, 429, 200))
    expect(await nightly('', env(checkPath))).toMatchObject({ code: 0, stderr: '' })
    expect(pings()).toEqual(['POST /start', 'POST /start', 'POST ', 'POST '])
  })

  it.each<[string, number, string, string]>([
    ['that knows no such check', 200, 'OK (not found)', 'it knows no check with this address'],
    ['that has enough', 200, 'OK (rate limited)', 'it ignores more than five pings a minute'],
    ['that refuses the address', 404, secret, 'its answer has the status 404'],
  ])('%s makes a warning that names the host alone', async (_, status, body, reason) => {
    await nightly()
    monitor.answerWith((response) =>
      response.writeHead(status, body, { location: monitor.url(checkPath) }).end(body),
    )
    const run = await nightly('--summary night.md', env(checkPath))
    expect(run).toMatchObject({ code: 0, stderr: warningOf(reason).repeat(2) })
    expect(pings()).toEqual(['POST /start', 'POST '])
    expectNoSecret(run)
  })
})

describe('the address', () => {
  const config = () => fileOf('fundpress.config.json')
  afterEach(() => writeFileSync(config(), '{}'))
  const nightWith = (heartbeat: unknown, more: Readonly<Record<string, string>> = {}) => {
    writeFileSync(config(), typeof heartbeat === 'string' ? heartbeat : JSON.stringify({ heartbeat }))
    return nightly('', more)
  }

  it('is in the config file, or in the environment variable that it names', async () => {
    expect((await nightWith({ url: monitor.url(checkPath) })).stderr).toBe('')
    const variable = { MY_CHECK: ` ${monitor.url(checkPath)}\n` }
    expect((await nightWith({ url: 'env:MY_CHECK' }, variable)).stderr).toBe('')
    expect(pings()).toEqual(['POST /start', 'POST ', 'POST /start', 'POST '])
  })

  it('that cannot be used is a warning if it comes from such a variable', async () => {
    const withEnv = (value: string) => nightWith({ url: 'env:MY_CHECK' }, { MY_CHECK: value })
    const unset = 'warning  night: heartbeat: heartbeat.url: the environment variable MY_CHECK is not set\n'
    const wrong = 'heartbeat.url: the environment variable MY_CHECK is no http or https address\n'
    expect(await withEnv('')).toMatchObject({ code: 0, stderr: unset })
    for (const value of [secret, `ftp://${secret}`, `http://${secret}:port`]) {
      const run = await withEnv(value)
      expect([run.code, run.stderr]).toEqual([0, `warning  night: heartbeat: ${wrong}`])
    }
    expect(monitor.received).toEqual([])
  })

  it('is shown nowhere if it is refused', async () => {
    const wrong: unknown[] = [
      ...[`ftp://${secret}`, { [secret]: 1 }].map((url) => ({ url })),
      `{ "heartbeat": { "url": "https://example.com/${secret}", } }`,
      { url: 'https://example.com', service: secret },
    ]
    for (const heartbeat of wrong) {
      const run = await nightWith(heartbeat, { FUNDPRESS_DEBUG: '1' })
      expect(run.code).toBe(2)
      expectNoSecret(run)
    }
    writeFileSync(config(), '{}')
    for (const url of [secret, `env:${secret}`]) {
      const run = await nightly('', { FUNDPRESS_HEARTBEAT_URL: url, FUNDPRESS_DEBUG: '1' })
      expect([run.code, run.stderr]).toEqual([
        2,
        expect.stringContaining('FUNDPRESS_HEARTBEAT_URL is a value'),
      ])
      expectNoSecret(run)
    }
  })
})

it('nothing beats but a nightly run: neither --ask nor a shard', async () => {
  expect((await nightly('--ask', env(checkPath))).code).toBe(0)
  const shard = `build --db funds.sqlite --as-of ${asOf} --quiet --out part-1 --shard 1/1`
  expect((await press.bare(shard, env(checkPath))).code).toBe(0)
  expect(monitor.received).toEqual([])
  expect(readFileSync(fileOf('part-1/manifest.ndjson.gz')).length).toBeGreaterThan(0)
})
