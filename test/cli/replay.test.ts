/** `check --replay`: past days as nights. What it tells must be what `check` says on such a night. */
import { writeFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import type { Finding } from '../../src/core/data/check/finding.ts'
import { editDatabase, isinOf, makeDatabase } from '../support/database.ts'
import { insertHistory, weekdaysUntil } from '../support/histories.ts'
import { tempFolder } from '../support/product.ts'
import { run } from './run.ts'

const folder = tempFolder()
const isins = Array.from({ length: 6 }, (_, index) => isinOf(index + 1))
const [one = ''] = isins
const last = '2026-10-16'
/** Six weeks without a holiday in Germany. */
const days = weekdaysUntil(last, 30)
const jumpDay = '2026-10-13'
const copyDay = '2026-10-08'

/** NAVs of all funds stay on the day of the copy; the first one jumps on another day, and stays there. No two move alike. */
const navOf = (isin: string, index: number) => {
  const day = days[index] ?? ''
  const at = day === copyDay ? index - 1 : index
  return (isin === one && day >= jumpDay ? 150 : 100) + (at % 3) * (0.5 + isins.indexOf(isin) / 10)
}

beforeAll(() => {
  makeDatabase(folder.file('funds.sqlite'), (insert) => {
    for (const isin of isins) insertHistory(insert, isin, days, (index) => navOf(isin, index))
  })
})

interface Replay {
  readonly nights: readonly {
    readonly day: string
    readonly funds: number
    readonly objections: readonly { readonly guard: string; readonly subject: string | null }[]
  }[]
  readonly guards: readonly object[]
}
const command = async (flags: string, config: object = {}) => {
  writeFileSync(folder.file('fundpress.config.json'), JSON.stringify(config))
  return run(`check --db funds.sqlite ${flags}`.split(' '), { cwd: folder.path })
}
const replay = async (flags: string, config?: object) => {
  const { code, stdout } = await command(`${flags} --json`, config)
  const { nights, guards } = JSON.parse(stdout) as Replay
  const refused = nights.flatMap(({ day, objections }) =>
    objections.map(({ guard, subject }) => ({ day, guard, subject })),
  )
  return { code, nights: nights.map(({ day }) => day), refused, guards }
}

it('names the nights that a guard would have refused, and counts them by guard', async () => {
  expect(await replay(`--as-of ${last} --replay 20`)).toEqual({
    code: 0,
    nights: days.slice(-20),
    refused: [
      { day: copyDay, guard: 'column', subject: 'price.net_asset_value' },
      { day: jumpDay, guard: 'price-jump', subject: one },
    ],
    guards: [
      { guard: 'column', nights: 1, fundNights: 6 },
      { guard: 'price-jump', nights: 1, fundNights: 1 },
    ],
  })
})

it('has the strictness of the settings, for all funds and for one', async () => {
  const flags = `--as-of ${last} --replay 20`
  const lenient = { groups: [{ isins: [one], strictness: 0.1 }] }
  expect(await replay(flags, { expectations: lenient })).toMatchObject({
    refused: [{ day: copyDay, guard: 'column', subject: 'price.net_asset_value' }],
  })
  expect(await replay(flags, { expectations: { ...lenient, strictness: 0.3 } })).toMatchObject({
    refused: [],
    guards: [],
  })
})

it('knows nothing of later days, and counts funds without prices as stale', async () => {
  const flags = `--as-of ${jumpDay} --replay 1`
  expect(await replay(flags)).toMatchObject({
    nights: [jumpDay],
    refused: [{ day: jumpDay, guard: 'price-jump', subject: one }],
  })
  const some = isins.slice(0, 2).map((isin) => `'${isin}'`)
  editDatabase(
    folder.file('funds.sqlite'),
    `DELETE FROM price WHERE isin IN (${some.join()}) AND date > '2026-10-05'`,
  )
  expect(await replay(flags)).toMatchObject({
    refused: [{ day: jumpDay, guard: 'stale-prices', subject: null }],
  })
  expect(await replay(flags, { expectations: { strictness: 0.25 } })).toMatchObject({ refused: [] })
})

it('finds the same as the check of such a night', async () => {
  const { refused } = await replay(`--as-of ${copyDay} --replay 1`)
  editDatabase(folder.file('funds.sqlite'), `DELETE FROM price WHERE date > '${copyDay}'`)
  const { stdout } = await command(`--as-of ${copyDay} --json --out nowhere`)
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] }
  const errors = findings.filter(({ severity }) => severity === 'error').map(({ guard }) => guard)
  expect(errors).toEqual(['column'])
  expect(refused.map(({ guard }) => guard)).toEqual(errors)
})
