/** The README of the guards lists each of them, with what it lets pass. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { withGuardTable } from '../../src/make/guard-table.ts'

const readme = readFileSync('src/core/guards/README.md', 'utf8')

it('is as `npm run generate` writes it', () => {
  expect(withGuardTable(readme)).toBe(readme)
})

it('lists shares, habits, and settings that switch a guard on', () => {
  const rows = [
    '| `swapped:<ISIN>,<ISIN>` | new prices of two funds that each continue the prices of the other | habits |',
    '| `lost-rows:<table>` | fewer rows of a table, or none | 0.2; price: 0.01 |',
    '| `currency-change:<ISIN>` | another currency while prices go on |  |',
    '| `incomplete` | a database without the complete load of the expected day | requireComplete |',
  ]
  for (const row of rows) expect(readme.split('\n')).toContain(row)
  expect(withGuardTable(readme.replace(`${rows[0] ?? ''}\n`, ''))).toBe(readme)
})
