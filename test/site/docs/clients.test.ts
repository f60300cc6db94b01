/** The page "Clients": its programs as they are published, against a server. test/api/openapi-tools.test.ts has TypeScript. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tempFolder } from '../../support/product.ts'
import { lacks } from '../../support/programs.ts'
import { codeNames, codeOn, guideOf } from '../../support/published-code.ts'
import { buildDemoSite, publishedAt, type Site } from '../../support/site.ts'

const nobody = 'XX0000000002'
const folder = tempFolder()
let site: Site
beforeAll(async () => {
  site = await buildDemoSite()
})
afterAll(() => site.stop())

const code = (name: string, language = 'en') =>
  codeOn(guideOf(site.out, 'clients', language), `client-${name}`).replaceAll(publishedAt, site.base)
const isinOf = (program: string) => /\b[A-Z]{2}[A-Z0-9]{9}\d\b/.exec(program)?.[0] ?? ''

/** Each day and net asset value of the two weeks that every program asks for, as the API gives them. */
async function published() {
  const path = /\/api\/v1\/prices-historic\/[^?"]+/.exec(code('python'))?.[0] ?? ''
  const answer = (await (await fetch(site.base + path)).json()) as Historic
  expect(answer.prices).toHaveLength(10)
  return answer.prices.map(({ date, net_asset_value: { value } }) => ({
    date,
    nav: Number(value.replace(',', '.')),
  }))
}
interface Historic {
  readonly prices: readonly { readonly date: string; readonly net_asset_value: { readonly value: string } }[]
}

const programs = [
  ['python', 'python3', 'prices.py', lacks('python3'), ''],
  ['r', 'Rscript', 'prices.R', lacks('Rscript'), 'date net_asset_value'],
  // A Java without the compiler cannot run a file of source.
  ['java', 'java', 'Prices.java', lacks('java', '--describe-module', 'jdk.compiler'), ''],
] as const

/** The event loop goes on: the server is in this process. */
const run = (command: string, file: string, program: string) => {
  writeFileSync(folder.file(file), program)
  return promisify(execFile)(command, [folder.file(file)], { cwd: folder.path })
}

describe.each(programs)('the program in %s', (name, command, file, isLacking, head) => {
  it.skipIf(isLacking)('prints the prices, and fails with an error of the API', async () => {
    const program = code(name)
    expect(code(name, 'de')).toBe(program)
    const { stdout } = await run(command, file, program)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().replace(/\s+/g, ' '))
    const rows = head === '' ? lines : lines.slice(1)
    if (head !== '') expect(lines[0]).toBe(head)
    const found = rows.map((line) => line.split(' ')).map(([date, nav]) => ({ date, nav: Number(nav) }))
    expect(found).toEqual(await published())
    const refused = run(command, file, program.replaceAll(isinOf(program), nobody))
    await expect(refused).rejects.toThrow(
      name === 'r' ? '404' : `No historic prices for the fund with ISIN: ${nobody}`,
    )
  })
})

it('the function for Excel reads columns of days and numbers at an address that answers', async () => {
  const program = code('excel')
  const isin = isinOf(code('python'))
  const from = '2026-11-09'
  const to = '2026-11-20'
  const parts = /Text\.Combine\(\{([^}]+)\}, "\/"\)/.exec(program)?.[1] ?? ''
  const values: Readonly<Record<string, string>> = { isin, 'Day(from)': from, 'Day(to)': to }
  const path = parts
    .split(', ')
    .map((part) => values[part] ?? (JSON.parse(part) as string))
    .join('/')
  const [, base = '', format = ''] =
    /Web\.Contents\(\s*"([^"]+)",\s*\[RelativePath = Path, Query = \[format = "(\w+)"\]\]\s*\)/.exec(
      program,
    ) ?? []
  const answer = await fetch(`${base}/${path}?format=${format}`)
  expect(answer.status).toBe(200)
  const [header = [], ...rows] = (await answer.text())
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
  expect(rows).toHaveLength(10)
  const types = [...program.matchAll(/\{"(\w+)", type (\w+)\}/g)]
  expect(types).toHaveLength(2)
  // In the culture en-US a point is the decimal mark.
  expect(program).toContain('"en-US"')
  for (const [, name = '', type] of types)
    for (const row of rows)
      expect(row[header.indexOf(name)]).toMatch(type === 'date' ? /^\d{4}-\d\d-\d\d$/ : /^\d+\.\d+$/)
})

it('every program has a test', () => {
  const typescript = ['openapi-fetch-setup', 'openapi-fetch', 'hey-api-setup', 'hey-api']
  const names = [...typescript, 'python', 'r', 'java', 'excel'].map((name) => `client-${name}`)
  for (const language of ['en', 'de'])
    expect(codeNames(guideOf(site.out, 'clients', language))).toEqual(names)
})
