/** `fundpress conform` against `serve`, and against what is not as it should be. */
import { copyFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { partChecks } from '../../src/extensions/conform/checks/http.ts'
import { type ConformReport, checks, openSuite } from '../../src/extensions/conform/suite.ts'
import { certificate } from '../support/certificate.ts'
import { editDatabase } from '../support/database.ts'
import { docsUrl, forced, makeTempFolder, mustRun, runFundpress } from '../support/product.ts'
import { type Server, startServer, startServing } from '../support/product.ts'
import { lacks } from '../support/programs.ts'
import { bucketArgs, credentials, publishArgs } from '../support/publishing.ts'
import type { RawResponse } from '../support/request.ts'
import { startS3 } from '../support/s3/server.ts'
import { fillDemo } from '../support/snapshots.ts'
import { startProxy, type ProxyOptions } from './broken-proxy.ts'

const folder = makeTempFolder()
const db = folder.file('first.sqlite')
const asOf = '2025-02-28'
let server: Server
let otherSnapshot: Server
let isin = ''

beforeAll(async () => {
  await fillDemo(1, 1, '2025-02-27')(db)
  const laterDb = folder.file('second.sqlite')
  copyFileSync(db, laterDb)
  editDatabase(laterDb, `UPDATE price SET net_asset_value = '77.7'`)
  server = await serve(db, 'first')
  otherSnapshot = await serve(laterDb, 'second')
  const response = await fetch(`${server.base}/api/v1/prices-current-all/`)
  ;[isin = ''] = Object.keys(((await response.json()) as { funds: object }).funds)
})

afterAll(async () => {
  await server.stop()
  await otherSnapshot.stop()
  folder.remove()
})

async function serve(file: string, out: string): Promise<Server> {
  await mustRun(['build', '--db', file, '--out', folder.file(out), '--as-of', asOf, '--quiet', ...forced])
  return startServer(folder.file(out))
}

function conform(base: string, more: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const args = ['conform', '--base', base, '--db', db, '--as-of', asOf, '--requests', '20', ...more]
  return runFundpress(args, { env })
}

/** Works with a proxy of the server. */
async function withProxy<T>(options: Omit<ProxyOptions, 'upstream'>, work: (base: string) => Promise<T>) {
  const proxy = await startProxy({ upstream: server.base, ...options })
  return work(proxy.base).finally(proxy.stop)
}

const suiteOf = (base: string, seed = 1) => openSuite({ base, db, asOf, docsUrl, seed, requests: 100 })

it('a server that answers correctly passes, with a line for each group and exit code 0', async () => {
  const { code, stdout } = await conform(server.base)
  const lines = stdout.trimEnd().split('\n')
  const groups = lines.filter((line) => line.startsWith('ok '))
  expect(code).toBe(0)
  expect(lines[0]).toBe(`${server.base} as of ${asOf}, all 1 fund, seed 1`)
  expect(groups.map((line) => line.split(/ {2,}/).slice(0, 2).join(' '))).toEqual(
    'answers refusals negotiation ranges http pages caching links codings hostile'
      .split(' ')
      .map((group) => `ok ${group}`),
  )
  expect(lines.at(-1)).toMatch(/^\d,\d{3} requests$/)
})

it('the same seed gives the same random requests, and another seed others', async () => {
  const targetsWith = async (seed: number) => {
    const targets: string[] = []
    const pass: ProxyOptions['pass'] = (target, ask) => {
      targets.push(target)
      return ask()
    }
    await withProxy({ pass }, async (base) => {
      const suite = suiteOf(base, seed)
      for (const check of checks.filter(({ name }) => /any range|whatever is thrown/.test(name)))
        await suite.run(check)
      suite.close()
    })
    return targets.sort()
  }
  const first = await targetsWith(5)
  expect(first).toHaveLength(3 * 34 + 25)
  expect(await targetsWith(5)).toEqual(first)
  expect(await targetsWith(6)).not.toEqual(first)
})

it('each spoiled answer is reported with its request, what was expected and what came; nothing else is', async () => {
  type Spoil = (answer: RawResponse) => RawResponse
  const fault = (path: string, spoil: Spoil, expected: string, got: string) => {
    return { target: `/api/${path.replace('ISIN', isin)}`, spoil, expected, got }
  }
  const otherStatus: Spoil = (answer) => ({ ...answer, status: 203 })
  const alsoVary: Spoil = (answer) => ({ ...answer, headers: [...answer.headers, ['vary', 'accept']] })
  const without =
    (name: string): Spoil =>
    (answer) => ({ ...answer, headers: answer.headers.filter(([given]) => given !== name) })
  const lacks = (path: string, name: string, expected: string) =>
    fault(path, without(name), `${name} ${expected}`, `${name} absent`)
  const faults = [
    fault('v1/figures/ISIN/?format=json&language=en', otherStatus, 'status 200', 'status 203'),
    lacks('v1/profile/ISIN/?format=xml&language=de', 'content-language', 'de'),
    lacks('v1/performance-launch/ISIN/?format=xml', 'x-content-type-options', 'nosniff'),
    lacks('v1/performance-years/ISIN/?format=json', 'last-modified', 'that is an HTTP date'),
    fault('v2/emt/ISIN/?format=xml&language=en', alsoVary, 'vary', 'vary accept'),
  ]
  const history = `/api/v1/prices-historic/${isin}/0001-01-01/9999-12-31/?format=json`
  const pass: ProxyOptions['pass'] = async (target, ask) => {
    const answer = await ask()
    if (target === history) return { ...answer, body: withOtherDigit(answer.body) }
    return faults.find((one) => one.target === target)?.spoil(answer) ?? answer
  }
  const { code, stdout, stderr } = await withProxy({ pass }, (base) => conform(base))
  expect(code).toBe(1)
  expect(stderr).toMatch(/does not conform: \d+ failures in \d+ checks\n$/)
  const failures = failuresIn(stdout)
  const failuresOf = (target: string) => failures.filter(({ request }) => request.includes(target))
  for (const { target, expected, got } of faults)
    expect(failuresOf(target)).toContainEqual({ request: expect.stringMatching(/^curl .*'$/), expected, got })
  // The place where one digit of a price differs.
  const [digit] = failuresOf(history)
  expect(digit?.expected).toMatch(/^body of \d+ characters, from \d+: "/)
  expect(digit?.got).not.toBe(digit?.expected)
  expect(digit?.got.length).toBe(digit?.expected.length)
  // Links lead to the spoiled answers, and HEAD is compared with them.
  const spoiled = [history, ...faults.map(({ target }) => target)]
  expect(failures.filter(({ request }) => !spoiled.some((target) => request.includes(target)))).toEqual([])
})

it('a server that mixes the answers of two snapshots fails', async () => {
  let asked = 0
  // By the target and not by the order of requests, which differs from run to run.
  const isOther = (target: string) => Buffer.from(target).reduce((sum, byte) => sum + byte, 0) % 4 === 3
  const pass: ProxyOptions['pass'] = (target, ask) => {
    asked++
    return ask(isOther(target) ? { base: otherSnapshot.base } : {})
  }
  await withProxy({ pass }, async (base) => {
    const suite = suiteOf(base)
    for (const check of checks.filter(({ name }) => name.includes('prices-historic'))) {
      const { failures } = await suite.run(check)
      expect(failures[0]?.request).toContain(`${base}/api/v1/prices-historic/`)
      // CSV has a decimal point.
      expect(failures[0]?.got).toMatch(/77[.,]7/)
    }
    suite.close()
  })
  expect(asked).toBeGreaterThan(0)
})

it.each([
  ['passes if it cuts parts out of answers', 0, []],
  ['fails if it cuts them in the wrong place', 1, partChecks.map(({ name }) => name)],
])('a cache in front %s', async (_, shift, expected) => {
  const pass: ProxyOptions['pass'] = async (_target, ask, { range = '', 'if-range': ifRange }) => {
    const answer = await ask()
    const [, first, end = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? []
    const isHead = answer.body.length === 0
    if (first === undefined || answer.status !== 200 || (shift === 0 && (isHead || ifRange !== undefined)))
      return answer
    const from = Number(first)
    const length = answer.body.length
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
  const failed: string[] = []
  await withProxy({ pass }, async (base) => {
    const suite = suiteOf(base)
    for (const check of partChecks) {
      const { requests, failures } = await suite.run(check)
      expect(requests).toBeGreaterThan(0)
      if (failures.length > 0) failed.push(check.name)
    }
    suite.close()
  })
  expect(failed).toEqual(expected)
})

it.skipIf(lacks('openssl'))(
  'a server with https, a path prefix and absolute redirects passes, and --json gives the report',
  async () => {
    const { file, ...tls } = await certificate()
    let ownBase = ''
    const pass: ProxyOptions['pass'] = async (target, ask) => {
      if (!target.startsWith('/funds/')) return { status: 500, headers: [], body: Buffer.alloc(0) }
      const answer = await ask({ target: target.slice('/funds'.length) })
      const headers = answer.headers.map(([name, value]): readonly [string, string] => {
        if (name === 'location') return [name, `${ownBase}/funds${value}`]
        return [name, name === 'link' ? value.replaceAll('</api/', '</funds/api/') : value]
      })
      return { ...answer, headers }
    }
    const { code, stdout } = await withProxy({ pass, tls }, (base) => {
      ownBase = base
      return conform(`${base}/funds/`, ['--json'], { NODE_EXTRA_CA_CERTS: file })
    })
    const { failed } = JSON.parse(stdout) as ConformReport
    expect({ code, failed }).toEqual({ code: 0, failed: 0 })
  },
)

it.each([
  ['nothing answers', 1, ['--base', 'http://127.0.0.1:9'], 'http://127.0.0.1:9 does not answer: '],
  ['the address is none', 2, ['--base', 'funds.example'], 'an absolute http or https URL'],
  ['there is no such database', 1, ['--db', 'none.sqlite'], 'none.sqlite does not exist'],
])('fails with one line on stderr if %s', async (_, code, flags, message) => {
  const failed = await conform(server.base, flags)
  expect(failed).toMatchObject({ code, stdout: '' })
  expect(failed.stderr).toContain(message)
  expect(failed.stderr.split('\n')).toHaveLength(2)
})

/** The last digit of the last price is another one. */
function withOtherDigit(body: Buffer): Buffer {
  const [, before = '', digit, after = ''] = /^([^]*"value":"[^\d"]*)(\d)([^]*)$/.exec(body.toString()) ?? []
  return Buffer.from(before + (digit === '1' ? '2' : '1') + after)
}

/** The failures that the human output lists. */
function failuresIn(stdout: string) {
  const found = stdout.matchAll(/^ {2}(curl .*)\n {4}expected {2}(.*)\n {4}got {7}(.*)$/gm)
  return [...found].map(([, request = '', expected = '', got = '']) => {
    return { request, expected: expected.trim(), got: got.trim() }
  })
}

it('with --preview asks for what is staged, says if nothing is, and shows the token to nobody', async () => {
  const token = 'a-token-of-the-preview'
  const env = { FUNDPRESS_EDGE_PREVIEW_TOKEN: token }
  const s3 = await startS3({ buckets: ['funds'] })
  const sayings: string[] = []
  for (const out of ['first', 'second']) {
    await mustRun(publishArgs(s3.endpoint, 'funds', folder.file(out), ...forced), { env: credentials })
    sayings.push(String(s3.objects('funds').get('live.json')?.body))
  }
  const [first = '', second = ''] = sayings
  s3.put('funds', 'live.json', first)
  const edge = await startServing(bucketArgs(s3.endpoint, 'funds'), { env: { ...credentials, ...env } })
  const nothing = await conform(edge.base, ['--preview'], env)
  expect({ code: nothing.code, stderr: nothing.stderr }).toEqual({
    code: 1,
    stderr: `fundpress: ${edge.base} shows no preview: nothing is staged, or the edge has another edge.previewToken\n`,
  })
  s3.put('funds', 'staged.json', second)
  // A preview reads more than once what is staged: some checks of many are enough. Only the prices differ.
  const failuresOf = async (file: string) => {
    const suite = openSuite({ base: edge.base, db: folder.file(file), asOf, docsUrl, previewToken: token })
    await suite.assertPreview()
    const results = []
    for (const check of checks.filter(({ name }) => /prices-|emt/.test(name)))
      results.push(await suite.run(check))
    suite.close()
    return results.flatMap(({ failures }) => failures)
  }
  expect(await failuresOf('second.sqlite')).toEqual([])
  const failures = JSON.stringify((await failuresOf('first.sqlite')).map(({ request }) => request))
  expect(failures).toContain(String.raw`-H \"X-Fundpress-Preview: $FUNDPRESS_EDGE_PREVIEW_TOKEN\" `)
  expect(failures).not.toContain(token)
  const { code, stderr } = await conform(edge.base, ['--preview'])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('edge.previewToken is missing'),
  })
  await edge.stop()
  await s3.stop()
})
