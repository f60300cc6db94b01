/** A family with the shape of a real one, from the two files that its company has to two published nights. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { makeFamily } from '../support/family.ts'
import { tempFolder } from '../support/product.ts'
import { run } from './run.ts'

const folder = tempFolder()
const days = ['2026-11-26', '2026-11-27'] as const
const map = ['--map', 'ISIN=isin', '--map', 'Datum=date', '--map', 'NAV=net_asset_value', '--derive']

interface Night {
  readonly code: number | null
  /** All that it says, with both streams. */
  readonly said: string
  readonly warnings: readonly string[]
}

/** Imports all but the newest prices. @param funds how the file of the funds is changed */
async function openFamily(name: string, funds: (text: string) => string) {
  const family = makeFamily(20, '2026-06-01', days[1])
  const db = `${name}.sqlite`
  const must = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(args, { cwd: folder.path })
    if (code !== 0) throw new Error(stdout + stderr)
  }
  const importPrices = (text: string) => {
    writeFileSync(folder.file(`${name}-prices.csv`), text)
    return must('import', 'price', `${name}-prices.csv`, '--db', db, '--no-backup', ...map)
  }
  await must('init', '--db', db, '--quiet')
  writeFileSync(folder.file(`${name}-funds.csv`), funds(family.funds))
  await must('import', `${name}-funds.csv`, '--db', db, '--no-backup')
  await importPrices(family.pricesUntil(days[0]))
  return {
    family,
    importNewest: () => importPrices(family.pricesOf(days[1])),
    night: async (day: string, ...flags: readonly string[]): Promise<Night> => {
      const place = [
        '--db',
        db,
        '--bucket',
        `file://${folder.file(`${name}-bucket`)}`,
        '--out',
        `${name}-out`,
      ]
      const { code, stdout, stderr } = await run(['nightly', ...place, '--as-of', day, ...flags], {
        cwd: folder.path,
        env: { FUNDPRESS_BASE_URL: 'https://funds.example' },
      })
      const said = stdout + stderr
      return { code, said, warnings: said.split('\n').filter((line) => /^warning|warning:/.test(line)) }
    },
  }
}

describe('a family of daily, weekly, matured, liquidated and unpriced funds', () => {
  it('goes live twice, without a refusal and without a warning', async () => {
    const { family, night, importNewest } = await openFamily('told', (text) => text)
    const { liquidated, matured, weekly, unpriced } = family.counts
    expect(Math.min(liquidated, matured, weekly, unpriced)).toBeGreaterThan(0)
    expect(await night(days[0])).toMatchObject({ code: 0, warnings: [] })
    await importNewest()
    expect(await night(days[1])).toMatchObject({ code: 0, warnings: [] })
  })

  it('is refused until that is allowed, if nobody says that funds are over, and never again: it is told once', async () => {
    const { night, importNewest } = await openFamily('untold', (text) =>
      text.replace(/(?:;[^;\n]*){2}$/gm, ''),
    )
    const refused = await night(days[0])
    expect(refused).toMatchObject({ code: 3, said: expect.stringContaining('stale-prices') as string })
    const allowed = await night(days[0], '--allow', 'stale-prices', '--reason', 'liquidated')
    expect(allowed).toMatchObject({ code: 0 })
    await importNewest()
    const second = await night(days[1])
    expect(second.code).toBe(0)
    for (const warning of second.warnings) expect(warning).toMatch(/no price since|is stale/)
    // Each fund was told once; one line says how all are.
    expect(await night('2026-11-28')).toMatchObject({
      code: 0,
      warnings: [expect.stringMatching(/^warning {2}build: prices: \d+ up to date, 0 late, \d+ stale/)],
    })
  })
})
