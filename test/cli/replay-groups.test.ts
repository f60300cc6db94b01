/** `check --replay` proposes groups that would have let nights pass: the setting, pasted into the config, does so. */
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { goodRows, insertGood, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { inventCompany } from '../guards/invented-company.ts'
import { run } from './run.ts'

const folder = tempFolder()
const days = Array.from({ length: 140 }, (_, index) =>
  new Date(Date.UTC(2026, 4, 4 + index)).toISOString().slice(0, 10),
).filter((day) => ![0, 6].includes(new Date(day).getUTCDay()))

const columns = [
  'date',
  'issue_price',
  'repurchase_price',
  'net_asset_value',
  'change',
  'change_percent',
] as const

it('proposes the least change that lets a fund pass, and nothing for a price that no group lets pass', async () => {
  const company = inventCompany(days, { funds: 6, seed: 4 })
  const [jumps = '', , , , , falls = ''] = company.map(({ isin }) => isin)
  const factors = new Map([
    [falls, 0.97],
    [jumps, 60],
  ])
  makeDatabase(folder.file('funds.sqlite'), (insert) => {
    for (const { isin, category, prices } of company)
      for (const [index, price] of prices.entries()) {
        const isLast = index === prices.length - 1
        const factor = isLast ? (factors.get(isin) ?? 1) : 1
        const [day, ...texts] = price
        const [issue = '', repurchase = '', nav = ''] = texts
          .slice(0, 3)
          .map((text) => (Number(text) * factor).toFixed(2))
        const before = Number(prices[index - 1]?.[3] ?? nav)
        const change = (Number(nav) - before).toFixed(2)
        const percent = ((Number(nav) / before - 1) * 100).toFixed(2)
        const values = [day, issue, repurchase, nav, change, percent]
        const row = Object.fromEntries(columns.map((column, at) => [column, values[at] ?? '']))
        if (index === 0)
          insertGood(insert, isin, {
            price: { ...row, performance: null },
            profile: { category_de: category },
          })
        else insert('price', { ...goodRows['price'], isin, ...row, performance: null })
      }
  })
  const replay = async (config: object) => {
    writeFileSync(folder.file('fundpress.config.json'), JSON.stringify(config))
    const words = `check --db funds.sqlite --as-of ${days.at(-1) ?? ''} --replay 1`.split(' ')
    return run(words, { cwd: folder.path })
  }
  const { stdout } = await replay({})
  const [, pasted = ''] = /this setting lets them pass: (.*)\n$/.exec(stdout) ?? []
  const setting = JSON.parse(`{${pasted}}`) as { expectations: { groups: { isins: string[] }[] } }
  expect(setting.expectations.groups.map(({ isins }) => isins)).toEqual([[falls]])
  const again = await replay(setting)
  expect(again.stdout).not.toContain(falls)
  expect(again.stdout).toContain(`price-jump: fund ${jumps}`)
})
