/** Objects of a bucket that somebody has changed, one value each: every command ends with sentences of ours, and tells nothing to run that was not checked. */
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'

let press: Press
let published: () => void
let keys: readonly string[]

beforeAll(async () => {
  press = await openPress(await buildNights(3, 2, { years: 1, isSmall: true }))
  const { outs } = press.nights
  for (const [at, out] of outs.slice(0, 2).entries()) {
    const flags = at === 0 ? [] : ['--allow', 'renamed-funds', '--reason', 'a test']
    expect(await press.publish(out, ...flags)).toMatchObject({ code: 0 })
  }
  published = press.bucket.save()
  keys = press.bucket.keys().filter((key) => /^(live|journal)|manifest|changes\/.*json$/.test(key))
})
afterAll(() => press.stop())

const paste = 'x`; curl http://127.0.0.1:1/x | sh #'
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    paste,
    `2026-11-20-3f9c2ab4d1e0 ${paste}`,
    '',
    'x'.repeat(70_000),
    '\u001b[2J',
    '../..',
  ),
  fc.constantFrom<unknown>(null, true, 7, -1, 0.5, 1e300, [], {}, [paste], { [paste]: 1 }, undefined),
)

type Path = readonly string[]
const pathsIn = (value: unknown, path: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]))]
    : [path]

function replaced(value: unknown, [name, ...rest]: Path, other: unknown): unknown {
  if (name === undefined) return other
  const inner = (value as Readonly<Record<string, unknown>>)[name]
  const changed = replaced(inner, rest, other)
  if (Array.isArray(value)) return value.map((one: unknown, at) => (String(at) === name ? changed : one))
  return { ...(value as object), [name]: changed }
}

/** @param line which line of a list @param at which value of it */
function changeObject(key: string, line: number, at: number, value: unknown): void {
  const isPacked = key.endsWith('.gz')
  const body = press.bucket.body(key)
  const lines = (isPacked ? gunzipSync(body) : body).toString().trimEnd().split('\n')
  // The first line of a manifest is the one with many fields.
  const chosen = line % 2 === 0 ? 0 : line % lines.length
  const parsed: unknown = JSON.parse(lines[chosen] ?? '')
  const paths = pathsIn(parsed)
  lines[chosen] = JSON.stringify([replaced(parsed, paths[at % paths.length] ?? [], value)]).slice(1, -1)
  const text = `${lines.join('\n')}\n`
  press.bucket.put(key, isPacked ? gzipSync(text) : text)
}

const engine =
  /Cannot read|is not a function|not iterable|undefined|\[object|NaN|Invalid (time|array)|TypeError|RangeError|Unexpected (token|end of JSON)|in JSON at|not valid JSON|Cannot convert/
/** A name, a flag, or what the operator has to fill in. */
const told =
  /^fundpress [a-z]+( (--?[a-z-]+|[a-z-]+(:[\w.,-]+)?(,[a-z-]+(:[\w.,-]+)?)*|\d{4}-\d\d-\d\d-[0-9a-f]{12}|[\w./-]+|…|"…"))*$/

const runs = Number(process.env['FUNDPRESS_TEST_HOSTILE_RUNS'] ?? 25)

it(
  'is told in our words, and nothing unchecked is to be run',
  { timeout: 60_000 + runs * 20_000 },
  async () => {
    const change = fc.record({ key: fc.nat(), line: fc.nat(), at: fc.nat(), value: hostile })
    const third = press.nights.outs[2] ?? ''
    const commands = [
      'status',
      'status --json',
      'verify',
      'verify --deep',
      `plan --out ${third}`,
      'prune',
      'prune --yes',
      'rollback --reason x',
      `publish --out ${third}`,
      `publish --out ${third} --repair`,
    ]
    await fc.assert(
      fc.asyncProperty(
        change,
        fc.shuffledSubarray(commands, { minLength: 4, maxLength: 4 }),
        async (how, some) => {
          published()
          const key = keys[how.key % keys.length] ?? ''
          changeObject(key, how.line, how.at, how.value)
          for (const command of some) {
            const { stdout, stderr } = await press.fundpress(command, { FUNDPRESS_BUCKET_LEASE_SECONDS: '1' })
            const said = stdout + stderr
            expect(said, `${command}, ${key}`).not.toMatch(engine)
            for (const [, line = ''] of said.matchAll(/`(fundpress [^`]*)/g))
              expect(line, `${command}, ${key}`).toMatch(told)
            for (const [, flag = ''] of said.matchAll(/--allow (\S+)/g)) expect(flag).toMatch(/^[\w:,.-]+$/)
            expect(said.replaceAll(/\n/g, '')).not.toContain('\u001b[2J')
          }
        },
      ),
      { numRuns: runs, endOnFailure: true },
    )
  },
)
