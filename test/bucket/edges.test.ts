/** Edges that the settings name: nothing goes live in a slot that one of them cannot read. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { buildNights, type Nights } from '../support/nights.ts'
import { docsUrl, startServing } from '../support/product.ts'
import { listen, rawRequest } from '../support/request.ts'

let nights: Nights
let bucket: string
/** Ids of the nights. */
let ids: readonly string[]
/** What an edge answers that reads less than this one, and what it was asked. */
let answer: RequestListener
let asked: string[]
let edge: Awaited<ReturnType<typeof listen>>

beforeAll(async () => {
  nights = await buildNights(4, 1, { years: 1, isSmall: true })
  bucket = nights.folder.file('bucket')
  edge = await listen(
    createServer((request, response) => {
      asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
      answer(request, response)
    }),
  )
  const found: string[] = []
  for (const night of [1, 2, 3, 4]) {
    const { stdout } = await must(`publish --out night-${night} --json --quiet`)
    found.push((JSON.parse(stdout) as { readonly snapshot: string }).snapshot)
    if (night === 2) cpSync(bucket, nights.folder.file('two'), { recursive: true })
  }
  ids = found
  cpSync(bucket, nights.folder.file('four'), { recursive: true })
})
afterAll(async () => {
  await edge.stop()
  nights.remove()
})
beforeEach(() => {
  asked = []
  begin('two')
})

/** The bucket after two nights: green is live; after four: blue is live, slot-3 was before. */
function begin(name: 'two' | 'four'): void {
  rmSync(bucket, { recursive: true, force: true })
  cpSync(nights.folder.file(name), bucket, { recursive: true })
}

const fundpress = (line: string, edges = '', slots = 3) => {
  const [command = '', ...flags] = line.split(' ')
  const env = {
    FUNDPRESS_BUCKET_GRACE_SECONDS: '0',
    FUNDPRESS_BUCKET_SLOTS: String(slots),
    FUNDPRESS_BUCKET_EDGES: edges,
    FUNDPRESS_BASE_URL: 'https://funds.example.org',
    FUNDPRESS_EXPECTATIONS_STRICTNESS: '0.1',
  }
  return run([command, '--bucket', `file://${bucket}`, ...flags], { cwd: nights.folder.path, env })
}
const must = async (...how: Parameters<typeof fundpress>) => {
  const done = await fundpress(...how)
  expect(done.code, done.stderr).toBe(0)
  return done
}
const liveText = () => readFileSync(join(bucket, 'live.json'), 'utf8')
const slotOf = (text: string) => (JSON.parse(text) as { readonly slot: string }).slot
const health =
  (reads?: object): RequestListener =>
  (_, response) =>
    response.end(JSON.stringify({ snapshot: ids[0], as_of: '2026-11-11', ...(reads && { reads }) }))

it('serve says at /status/health what it reads', async () => {
  const { base, stop } = await startServing(['--bucket', `file://${bucket}`])
  const { body } = await rawRequest(base, { target: '/status/health' }).finally(stop)
  expect(JSON.parse(body.toString())).toMatchObject({ reads: { format: 1, slots: 7 } })
})

it('asks no edge while the slot is one that every edge reads', async () => {
  answer = health({ format: 1, slots: 2 })
  await must('publish --out night-3', edge.base, 2)
  await must('rollback --no-hold', edge.base, 2)
  await must('publish --out night-4', edge.base, 2)
  begin('four')
  await must(`rollback --to ${ids[1] ?? ''}`, edge.base)
  expect(asked).toEqual([])
})

it('refuses a publish before its upload for an edge that reads fewer slots, and says what to do', async () => {
  for (const [reads, says] of [
    [{ format: 1, slots: 2 }, 'reads only 2 slots and format 1 of live.json'],
    [{ format: 0, slots: 7 }, 'is not that of `fundpress serve`'],
    [undefined, 'is not that of `fundpress serve`'],
  ] as const) {
    answer = health(reads)
    const before = liveText()
    const { code, stderr } = await fundpress('publish --out night-3', edge.base)
    expect(code, stderr).toBe(3)
    expect(liveText()).toBe(before)
    expect(existsSync(join(bucket, 'slot-3'))).toBe(false)
    expect(stderr).toContain(edge.base)
    expect(stderr).toContain(says)
    expect(stderr).toContain('or set bucket.slots to 2')
    expect(stderr).toContain('--allow old-edge --reason')
  }
  expect(new Set(asked)).toEqual(new Set(['GET /status/health']))
  await must('publish --out night-3', edge.base, 2)
  expect(slotOf(liveText())).toBe('blue')
})

it('goes on if an operator allows it, and keeps why', async () => {
  answer = health({ format: 1, slots: 2 })
  const { stdout } = await must(
    'publish --out night-3 --json --quiet --allow old-edge --reason retired',
    edge.base,
  )
  const { allowed } = JSON.parse(stdout) as { readonly allowed: readonly object[] }
  expect(allowed).toContainEqual(expect.objectContaining({ guard: 'old-edge', reason: 'retired' }))
  expect(slotOf(liveText())).toBe('slot-3')
})

it('goes on if each edge reads the slot, and refuses if one of several does not', async () => {
  answer = health({ format: 1, slots: 3 })
  const serving = await startServing(['--bucket', `file://${bucket}`])
  try {
    const both = `${serving.base} ${edge.base}/`
    await must('publish --out night-3', both)
    expect(slotOf(liveText())).toBe('slot-3')
    expect(asked).toEqual(['GET /status/health'])
    const { code, stderr } = await fundpress('publish --out night-4', both, 4)
    expect(code, stderr).toBe(3)
    expect(stderr).not.toContain(serving.base)
    expect(slotOf(liveText())).toBe('slot-3')
    expect(stderr).toContain('or set bucket.slots to 3')
  } finally {
    await serving.stop()
  }
})

it('stages all the same, and refuses flip, rollback and nightly, without the advice of fewer slots where it is too late', async () => {
  answer = health({ format: 1, slots: 2 })
  await must('publish --out night-3 --stage', edge.base)
  expect(asked).toEqual([])
  const nightly = `nightly --db funds.sqlite --docs-url ${docsUrl} --as-of 2026-11-14 --out whole --since none --sample 3`
  for (const [state, line, advises] of [
    [null, `flip ${ids[2] ?? ''}`, false],
    [null, 'publish --out night-3', false],
    ['four', 'rollback', false],
    ['two', nightly, true],
  ] as const) {
    if (state !== null) begin(state)
    const before = liveText()
    const { code, stderr } = await fundpress(line, edge.base)
    expect(code, `${line}: ${stderr}`).toBe(3)
    expect(liveText(), line).toBe(before)
    expect(stderr).toContain('update that edge first')
    expect(stderr.includes('set bucket.slots'), `${line}: ${stderr}`).toBe(advises)
  }
})

/** Answers that say nothing about what an edge reads. */
const strange: readonly (readonly [what: string, answer: RequestListener, says: string])[] = [
  ['is no health', (_, response) => response.end('<!doctype html>'), 'is not that of `fundpress serve`'],
  [
    'has other values',
    (_, response) => response.end('{"snapshot":"x","reads":{"slots":"7"}}'),
    'is not that of',
  ],
  [
    'is a redirect',
    (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
    'the status 302, a redirect',
  ],
  [
    'is a 503',
    (_, response) => response.writeHead(503).end(),
    'its answer has the status 503, after 2 attempts',
  ],
  [
    'has no end',
    (_, response) => {
      const write = () => {
        while (!response.destroyed && response.write(' '.repeat(10_000)));
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    },
    'is not that of `fundpress serve`',
  ],
  ['does not come', () => undefined, 'no answer within 4 s, after 2 attempts'],
]

it.each(strange)('refuses a further slot if the answer of an edge %s', async (_, given, says) => {
  answer = given
  const before = liveText()
  const { code, stderr } = await fundpress('publish --out night-3', edge.base)
  expect(code, stderr).toBe(3)
  expect(liveText()).toBe(before)
  expect(stderr).toContain(`${edge.base} does not say what it reads (`)
  expect(stderr).toContain(says)
  expect(asked).not.toContain('GET /elsewhere')
})

it('refuses a further slot if an edge is away, and needs it for nothing else', async () => {
  const gone = await listen(createServer())
  await gone.stop()
  const { code, stderr } = await fundpress('publish --out night-3', gone.base)
  expect(code, stderr).toBe(3)
  expect(stderr).toContain(`${gone.base} does not say what it reads (`)
  expect(stderr).toContain('let it answer at /status/health first')
  expect(readdirSync(bucket)).not.toContain('slot-3')
  await must('publish --out night-3', gone.base, 2)
})

it('check --bucket tells what each edge reads, and whether that is enough', async () => {
  const check = async (edges: string, slots: number) => {
    const { code, stdout } = await fundpress('check --out night-3 --json', edges, slots)
    const { findings } = JSON.parse(stdout) as {
      readonly findings: readonly Readonly<Record<'what' | 'level' | 'says', string>>[]
    }
    const found = findings.filter(({ what }) => what === 'edge')
    return { code, edges: found.map(({ level, says }) => `${level}: ${says}`) }
  }
  answer = health({ format: 1, slots: 3 })
  const other = await listen(createServer((_, response) => response.writeHead(404).end()))
  try {
    const reads = `${edge.base} reads`
    const enough = `ok: ${reads} 3 slots and format 1 of live.json`
    expect(await check('', 2)).toEqual({ code: 0, edges: [] })
    expect(await check('', 3)).toEqual({
      code: 0,
      edges: [expect.stringMatching(/^warning: bucket\.slots is 3 and bucket\.edges names none: /)],
    })
    expect(await check(edge.base, 3)).toEqual({ code: 0, edges: [enough] })
    expect(await check(edge.base, 4)).toEqual({
      code: 1,
      edges: [
        `problem: ${reads} only 3 slots and format 1 of live.json, and bucket.slots is 4: update that edge, or set bucket.slots to 3`,
      ],
    })
    const silent = `${other.base} does not say what it reads (its answer has the status 404)`
    expect(await check(`${edge.base} ${other.base}`, 2)).toEqual({
      code: 0,
      edges: [enough, `warning: ${silent}: let it answer at /status/health before you raise bucket.slots`],
    })
    expect(await check(`${edge.base} ${other.base}`, 3)).toEqual({
      code: 1,
      edges: [
        enough,
        `problem: ${silent}, and bucket.slots is 3: let it answer at /status/health, or set bucket.slots to 2`,
      ],
    })
  } finally {
    await other.stop()
  }
})
