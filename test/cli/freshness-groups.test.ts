/** Groups of `freshness` that are for no fund of the database: who says so, and how. */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOf, freshness, isins, makePricedFunds } from '../support/priced-funds.ts'
import { makeTempFolder } from '../support/product.ts'
import { hashesOf } from '../support/tree.ts'
import { run } from './run.ts'

const folder = makeTempFolder()
afterAll(folder.remove)
beforeAll(() => {
  makePricedFunds(folder.file('funds.sqlite'))
})

const configure = (config: object) => {
  writeFileSync(folder.file('fundpress.config.json'), JSON.stringify({ freshness: config }))
}
const build = (out: string, args: readonly string[] = []) =>
  run(['build', '--db', 'funds.sqlite', '--out', out, '--as-of', asOf, ...args], { cwd: folder.path })
const textOf = (out: string, name: string) => readFileSync(folder.file(`${out}/status/${name}`), 'utf8')

describe('a group that fits no fund', () => {
  const wrong = 'LU9912417814'
  const config = {
    groups: [
      { category: 'Gibtsnicht', never: true },
      ...freshness.groups,
      { isins: [wrong, isins.fresh, 'DE0008471400'], never: true },
      { category: 'Immobilienfonds', currency: 'EUR' },
      { currency: 'CHF' },
      { category: 'Immobilienfonds', isins: [isins.late] },
      { category: '\u202eevil\u0007' },
    ],
  }
  const told = [
    'freshness.groups[0]: no fund has the category "Gibtsnicht"',
    `freshness.groups[3]: there are no funds ${wrong} (wrong check digit), DE0008471400`,
    'freshness.groups[5]: no fund has the currency CHF',
    'freshness.groups[6]: no fund has all that it names',
    expect.stringMatching(/^freshness\.groups\[7\]: no fund has the category [ -~]*evil[ -~]*$/) as string,
  ]
  const warnedOf = (findings: readonly { isin: string | null; severity: string; message: string }[]) =>
    findings.filter(({ isin }) => isin === null).map(({ severity, message }) => [severity, message])
  const expected = told.map((message) => ['warning', message])

  it('is named by `check`, with its place in the settings and what fits none', async () => {
    configure(config)
    const args = ['check', '--db', 'funds.sqlite', '--as-of', asOf]
    const json = await run([...args, '--json'], { cwd: folder.path })
    const text = await run(args, { cwd: folder.path })
    configure(freshness)
    expect(json.code).toBe(0)
    expect(warnedOf((JSON.parse(json.stdout) as { findings: [] }).findings)).toEqual(expected)
    expect(text.stdout).toContain(`The database\n  warning  fund: ${told[0] ?? ''}\n`)
    expect(text.stdout).toMatch(/\n0 errors, 9 warnings\n$/)
  })

  it('is named by a build, which is the same bytes as ever, and by a merge once; by no shard', async () => {
    configure({ groups: [...config.groups.slice(1, 3)] })
    expect(await build('fitting')).toMatchObject({ code: 0, stdout: expect.not.stringContaining('groups[') })
    configure({ groups: [...config.groups.slice(1, 3), ...config.groups.slice(3, 4)] })
    const { code, stdout } = await build('unfitting', ['--json'])
    expect([code, warnedOf((JSON.parse(stdout) as { warnings: [] }).warnings)]).toEqual([
      0,
      [['warning', told[1]?.replace('[3]', '[2]')]],
    ])
    configure(config)
    const whole = await build('whole')
    expect(whole.stdout.split('\n').slice(0, 4)).toEqual(told.slice(0, 4).map((line) => `warning  ${line}`))
    const lines = (text: string) => text.split('\n').filter((line) => line.includes('freshness.groups['))
    for (const number of [1, 2]) {
      const shard = await build(`shard-${number}`, ['--shard', `${number}/2`])
      expect([shard.code, lines(shard.stdout + shard.stderr)]).toEqual([0, []])
    }
    const merge = ['merge', 'shard-1', 'shard-2', '--db', 'funds.sqlite', '--out', 'merged']
    const merged = await run(merge, { cwd: folder.path })
    expect([merged.code, lines(merged.stdout)]).toEqual([0, lines(whole.stdout)])
    const only = await build('only', ['--only', isins.fresh])
    expect(lines(only.stdout)).toEqual(lines(whole.stdout))
    configure(freshness)
    expect(hashesOf(folder.file('merged'))).toEqual(hashesOf(folder.file('whole')))
    // Nothing of it is in a file.
    for (const name of ['index.json', 'index.html']) expect(textOf('whole', name)).not.toContain('Gibtsnicht')
  })
})
