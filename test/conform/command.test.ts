/** `fundpress conform` against `serve`, and against what is not as it should be. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { editDatabase } from '../support/database.ts'
import {
  docsUrl,
  makeTempFolder,
  mustRun,
  runFundpress,
  startServer,
  type Run,
  type Server,
} from '../support/product.ts'
import type { RawResponse } from '../support/request.ts'
import { startProxy, type Proxy, type ProxyOptions } from './broken-proxy.ts'
import { partChecks } from '../../src/conform/checks/http.ts'
import { type ConformReport, checks, openSuite } from '../../src/conform/suite.ts'
import { isComplete } from '../support/rounds.ts'

const folder = makeTempFolder()
const db = folder.file('first.sqlite')
const asOf = '2025-02-28'
let server: Server
let otherNight: Server
let isin = ''

beforeAll(async () => {
  await mustRun(['demo', '--db', db, '--funds', '2', '--years', '3', '--until', '2025-02-27', '--seed', '11'])
  const laterDb = folder.file('second.sqlite')
  copyFileSync(db, laterDb)
  editDatabase(laterDb, `UPDATE price SET net_asset_value = '77.7'`)
  server = await serve(db, 'first')
  otherNight = await serve(laterDb, 'second')
  const response = await fetch(`${server.base}/api/v1/prices-current-all/`)
  ;[isin = ''] = Object.keys(((await response.json()) as { funds: object }).funds)
})

afterAll(async () => {
  await server.stop()
  await otherNight.stop()
  folder.remove()
})

async function serve(file: string, out: string): Promise<Server> {
  await mustRun(['build', '--db', file, '--out', folder.file(out), '--as-of', asOf, '--quiet'])
  return startServer(folder.file(out))
}

function conform(
  [base, ...more]: readonly [base: string, ...more: string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const args = ['conform', '--base', base, '--db', db, '--as-of', asOf, '--requests', '60', ...more]
  return runFundpress(args, { env })
}

async function report(base: string): Promise<{ code: number | null; report: ConformReport; stderr: string }> {
  const { code, stdout, stderr } = await conform([base, '--json'])
  return { code, report: JSON.parse(stdout) as ConformReport, stderr }
}

describe('against serve', () => {
  it('passes, with a line a group and exit code 0', async () => {
    const { code, stdout } = await conform([server.base])
    const lines = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(lines[0]).toBe(`${server.base} as of ${asOf}, all 2 funds, seed 1`)
    expect(lines.slice(1, -1).map((line) => line.split(/ {2,}/).slice(0, 2).join(' '))).toEqual(
      'answers refusals negotiation ranges http caching links codings hostile budget'
        .split(' ')
        .map((group) => `ok ${group}`),
    )
    expect(lines.at(-1)).toMatch(/^\d,\d{3} requests$/)
  })

  it('asks the same random questions for the same seed, and others for another', async () => {
    const asked = async (seed: number): Promise<readonly string[]> => {
      const targets: string[] = []
      const pass: ProxyOptions['pass'] = (target, ask) => {
        targets.push(target)
        return ask()
      }
      const proxy = await startProxy({ upstream: server.base, pass })
      const suite = openSuite({ base: proxy.base, db, asOf, docsUrl, seed, requests: 100 })
      for (const check of checks.filter(({ name }) => /any range|whatever is thrown/.test(name)))
        await suite.run(check)
      suite.close()
      await proxy.stop()
      return targets.sort()
    }
    const first = await asked(5)
    expect(first).toHaveLength(67 + 34 + 25)
    expect(await asked(5)).toEqual(first)
    expect(await asked(6)).not.toEqual(first)
  })
})

describe('the budget', () => {
  it.runIf(isComplete)(
    'is of CPU time and memory with --pid, and of clients that hold on with --load',
    async () => {
      const { code, stdout } = await conform([server.base, '--pid', String(server.pid), '--load'])
      expect(code).toBe(0)
      expect(stdout).toMatch(
        /^ok {6}budget {7}\d+ hostile requests, at most [\d.]+ ms of CPU time more than a plain one$/m,
      )
      expect(stdout).toMatch(
        /^ {2}200 clients that do not read the longest range +\d+ MiB +\d+ MiB +[\d.]+ ms/m,
      )
    },
  )

  it.runIf(isComplete)('fails the command, which names what was over its limit', async () => {
    const pass: ProxyOptions['pass'] = async (target, ask) =>
      target.includes('%&') ? { status: 500, headers: [], body: Buffer.alloc(0) } : ask()
    const proxy = await startProxy({ upstream: server.base, pass })
    const { code, stdout, stderr } = await conform([proxy.base])
    await proxy.stop()
    expect(code).toBe(1)
    expect(stdout).toContain('failed  query: names that cannot be decoded, 1,000 bytes: answered with 500\n')
    expect(stderr).toContain('does not conform: ')
  })

  it('says what is wrong with --pid', async () => {
    const { code, stderr } = await conform([server.base, '--pid', String(2 ** 30)])
    expect(code).toBe(1)
    expect(stderr).toContain('process 1073741824 cannot be measured')
  })
})

describe('against a proxy that spoils answers', () => {
  const faults: Readonly<Record<string, (answer: RawResponse) => RawResponse>> = {
    'api/v1/figures/ISIN/?format=json&language=en': (answer) => ({ ...answer, status: 203 }),
    'api/v1/profile/ISIN/?format=xml&language=de': (answer) => without(answer, 'content-language'),
    'api/v1/performance-launch/ISIN/?format=xml': (answer) => without(answer, 'x-content-type-options'),
    'api/v1/performance-years/ISIN/?format=json': (answer) => without(answer, 'last-modified'),
    'api/v2/emt/ISIN/?format=xml&language=en': (answer) => ({
      ...answer,
      headers: [...answer.headers, ['vary', 'accept']],
    }),
    'api/v1/prices-historic/ISIN/0001-01-01/9999-12-31/?format=json': (answer) => ({
      ...answer,
      body: withOtherDigit(answer.body),
    }),
  }
  const targetOf = (path: string): string => `/${path.replace('ISIN', isin)}`
  let run: Run

  beforeAll(async () => {
    const pass: ProxyOptions['pass'] = async (target, ask) => {
      const fault = Object.entries(faults).find(([path]) => targetOf(path) === target)?.[1]
      const answer = await ask()
      return fault === undefined ? answer : fault(answer)
    }
    const proxy = await startProxy({ upstream: server.base, pass })
    run = await conform([proxy.base])
    await proxy.stop()
  })

  it('fails', () => {
    expect(run.code).toBe(1)
    expect(run.stderr).toMatch(/does not conform: \d+ failures in \d+ checks\n$/)
  })

  it.each([
    ['a wrong status', 'api/v1/figures/ISIN/?format=json&language=en', 'status 200', 'status 203'],
    [
      'a header that is gone',
      'api/v1/profile/ISIN/?format=xml&language=de',
      'content-language de',
      'content-language absent',
    ],
    [
      'a header that every answer must have',
      'api/v1/performance-launch/ISIN/?format=xml',
      'x-content-type-options nosniff',
      'x-content-type-options absent',
    ],
    [
      'a missing validator',
      'api/v1/performance-years/ISIN/?format=json',
      'last-modified that is an HTTP date',
      'last-modified absent',
    ],
    [
      'a Vary that the answer does not depend on',
      'api/v2/emt/ISIN/?format=xml&language=en',
      'vary',
      'vary accept',
    ],
  ])('names the request of %s', (_, path, expected, got) => {
    const found = failuresIn(run.stdout).filter(({ request }) => request.includes(targetOf(path)))
    expect(found).toContainEqual({ request: expect.stringMatching(/^curl .*'$/), expected, got })
  })

  it('shows where one digit of a price differs', () => {
    const target = targetOf('api/v1/prices-historic/ISIN/0001-01-01/9999-12-31/?format=json')
    const [found] = failuresIn(run.stdout).filter(({ request }) => request.includes(target))
    expect(found?.expected).toMatch(/^body of \d+ characters, from \d+: "/)
    expect(found?.got).not.toBe(found?.expected)
    expect(found?.got.length).toBe(found?.expected.length)
  })

  it('finds nothing else', () => {
    const spoiled = Object.keys(faults).map(targetOf)
    const strange = failuresIn(run.stdout).filter(
      ({ request }) => !spoiled.some((target) => request.includes(target)),
    )
    // The links lead to the spoiled ones, and HEAD is compared with them.
    expect(strange.map(({ request }) => request)).toEqual([])
  })
})

it('finds a server that mixes the answers of two nights', async () => {
  let asked = 0
  const pass: ProxyOptions['pass'] = (_, ask) => ask(asked++ % 9 === 4 ? { base: otherNight.base } : {})
  const proxy = await startProxy({ upstream: server.base, pass })
  const { code, report: found, stderr } = await report(proxy.base)
  await proxy.stop()
  expect(code).toBe(1)
  expect(stderr).toContain(`${proxy.base} does not conform`)
  const ofPrices = found.checks.find(({ name }) => name.includes('3 historic prices'))
  expect(ofPrices?.failed).toBeGreaterThan(0)
  expect(ofPrices?.failures[0]?.request).toContain(`${proxy.base}/api/v1/prices-historic/`)
  expect(ofPrices?.failures[0]?.got).toContain('77,7')
  // Costs are wall time, and of small requests alone, unless more is asked for.
  const { kind, costs, loads } = found.budget
  expect({ kind, loads }).toEqual({ kind: 'wall', loads: [] })
  expect(Math.max(...costs.map(({ bytes }) => bytes))).toBeLessThan(16_384)
  expect(costs.length).toBeGreaterThan(200)
})

it.each([
  ['takes a cache in front that cuts the parts of answers', 0, []],
  [
    'finds a cache in front that cuts them in the wrong place',
    1,
    [
      'gives the whole of a document, or exactly the part that was asked for',
      'gives the whole where the ETag that a part is asked for is another',
      'tells of the whole where a part is asked for by HEAD',
    ],
  ],
])('%s', async (_, shift, found) => {
  const pass: ProxyOptions['pass'] = async (_target, ask, { range = '', 'if-range': ifRange }) => {
    const answer = await ask()
    const [, first, end = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? []
    const isHead = answer.body.length === 0
    if (first === undefined || answer.status !== 200 || (shift === 0 && (isHead || ifRange !== undefined)))
      return answer
    const [from, length] = [Number(first), answer.body.length]
    const headers = answer.headers.filter(([name]) => name !== 'content-length')
    if (from >= length && !isHead)
      return { status: 416, headers: [['content-range', `bytes */${length}`]], body: Buffer.alloc(0) }
    const last = end === '' ? length - 1 : Number(end)
    return {
      status: 206,
      headers: [...headers, ['content-range', `bytes ${from}-${last}/${length}`]],
      body: answer.body.subarray(from + shift, last + 1 + shift),
    }
  }
  const proxy = await startProxy({ upstream: server.base, pass })
  const suite = openSuite({ base: proxy.base, db, asOf, docsUrl, seed: 1, requests: 1 })
  const failed: string[] = []
  for (const check of partChecks) {
    const { requests, failures } = await suite.run(check)
    expect(requests).toBeGreaterThan(0)
    if (failures.length > 0) failed.push(check.name)
  }
  suite.close()
  await proxy.stop()
  expect(failed).toEqual(found)
})

// A certificate cannot be made without it. CI has to have it.
const hasOpenssl = process.env['CI'] === 'true' || spawnSync('openssl', ['version']).error === undefined

it.skipIf(!hasOpenssl)('passes over https and below a path prefix, with absolute redirects', async () => {
  const [key, cert] = ['key.pem', 'cert.pem'].map(folder.file) as [string, string]
  const ofCertificate = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const ofKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key]
  execFileSync('openssl', ['req', '-x509', ...ofKey, '-out', cert, ...ofCertificate], { stdio: 'ignore' })
  const proxy: Proxy = await startProxy({
    upstream: server.base,
    tls: { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') },
    pass: async (target, ask) => {
      if (!target.startsWith('/funds/')) return { status: 500, headers: [], body: Buffer.alloc(0) }
      const answer = await ask({ target: target.slice('/funds'.length) })
      const headers = answer.headers.map(([name, value]): readonly [string, string] => {
        if (name === 'location') return [name, `${proxy.base}/funds${value}`]
        return [name, name === 'link' ? value.replaceAll('</api/', '</funds/api/') : value]
      })
      return { ...answer, headers }
    },
  })
  const run = await conform([`${proxy.base}/funds/`, '--quiet'], { NODE_EXTRA_CA_CERTS: cert })
  await proxy.stop()
  expect(run).toMatchObject({ code: 0, stderr: '' })
})

it('gives up in one line where nothing answers', async () => {
  const { code, stdout, stderr } = await conform(['http://127.0.0.1:9'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^fundpress: http:\/\/127\.0\.0\.1:9 does not answer: .*ECONNREFUSED.*\n$/)
})

it('says in one line what is wrong with its arguments', async () => {
  const wrong = await conform(['funds.example'])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('an absolute http or https URL')
  const missing = await runFundpress(['conform', '--base', server.base, '--db', folder.file('none.sqlite')])
  expect(missing.code).toBe(1)
  expect(missing.stderr).toContain('none.sqlite cannot be read as a fund database')
})

function without(answer: RawResponse, name: string): RawResponse {
  return { ...answer, headers: answer.headers.filter(([given]) => given !== name) }
}

/** The last digit of the last price is another one. */
function withOtherDigit(body: Buffer): Buffer {
  const text = body.toString()
  const at = text.lastIndexOf('"value":"') + '"value":"'.length
  const digit = /\d/.exec(text.slice(at))
  const place = at + (digit?.index ?? 0)
  return Buffer.from(text.slice(0, place) + (text[place] === '1' ? '2' : '1') + text.slice(place + 1))
}

/** The failures that the human output lists. */
function failuresIn(stdout: string): { request: string; expected: string; got: string }[] {
  const found = stdout.matchAll(/^ {2}(curl .*)\n {4}expected {2}(.*)\n {4}got {7}(.*)$/gm)
  return [...found].map(([, request = '', expected = '', got = '']) => ({
    request,
    expected: expected.trim(),
    got: got.trim(),
  }))
}
