/** Some weeks of the year of `bench/year.ts`: it takes minutes, and only its figures say how good the guards are. */
import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { judgeClasses } from '../bench/year/classes.ts'
import { dates, inventYear } from '../bench/year/company.ts'
import { simulateYear } from '../bench/year/nights.ts'
import { wrongNights } from '../bench/year/wrong-nights.ts'
import { tempFolder } from '../support/product.ts'

const folder = tempFolder()
const seed = 1
const { nights, corrections } = inventYear(seed)

it('nine nights with a crash: nothing right is refused, and wrong nights have their fate', async () => {
  const kinds = ['a money-market fund 9 % too low', 'an equity fund 4 % wrong']
  const crash = nights.indexOf(dates.crash[0])
  const weeks = [crash - 1, crash + 8] as const
  mkdirSync(folder.file('year'))
  const year = await simulateYear(folder.file('year'), { seed, wrong: 2, nights: weeks, kinds })
  const fates = Object.fromEntries(year.wrong.map(({ wrong, fate }) => [wrong.title, fate]))
  expect(fates).toEqual({
    'a money-market fund 9 % too low': 'refused',
    // Nobody can see it, and so the bench has something to miss.
    'an equity fund 4 % wrong': 'missed',
  })
  const [first] = year.wrong.filter(({ fate }) => fate === 'refused').map(({ said }) => said[0])
  expect(first).toMatch(/^refused: price-jump:XF\d+: /)
  expect(year.right.filter(({ refused, isCorrection }) => refused.length > 0 && !isCorrection)).toEqual([])
  const told = year.right.flatMap(({ notices }) => notices)
  expect(told.filter(({ verdict }) => verdict !== 'right')).toEqual([])
  // Each day of the crash is news.
  expect(told.map(({ text }) => text)).toContainEqual(expect.stringMatching(/: a market day$/))
})

it('there are forty kinds of wrong nights, each with a title of its own', () => {
  expect(new Set(wrongNights.map(({ title }) => title)).size).toBe(40)
})

it('a year is the same each time, and has corrections', () => {
  expect(inventYear(seed).corrections).toEqual(corrections)
  expect(nights).toHaveLength(250)
  expect(corrections.length).toBeGreaterThan(5)
})

it('a crash of 60 share classes is told of, and refuses nothing', async () => {
  const judged = await judgeClasses(60, seed, 100)
  const crash = judged.filter(({ isOfCrash }) => isOfCrash)
  expect(crash.flatMap(({ said }) => said)).toEqual(
    crash.map(() => expect.stringMatching(/^warning: .*: a market day$/) as unknown),
  )
})
