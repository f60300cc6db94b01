/** States that last over nights: each is told when it begins and when it ends, whatever its words and counts. */
import { writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { db, fileOf, keptEvents, nightlyOf, press, useNights } from '../../bucket/nightly/nightly.ts'
import { todayInBerlin } from '../../../src/core/guards/clock.ts'
import { editDatabase } from '../../support/database.ts'
import { useReceiver } from '../../support/receiver.ts'

useNights(2)

const receiver = useReceiver()

const configure = (config: object = {}) =>
  writeFileSync(
    fileOf('fundpress.config.json'),
    JSON.stringify({ notify: [{ type: 'webhook', url: receiver.url('/all') }], ...config }),
  )
beforeEach(() => configure())

/** `late begun: no price of 2026-11-11`, without the beginning that all titles have. */
const told = () =>
  receiver
    .take()
    .map(({ event, state, title }) =>
      [event, ...(state === null ? [] : [state]), String(title).replace(/^fundpress( \S+)?:/, ':')]
        .map(String)
        .join(' ')
        .replace(' :', ':'),
    )
    .sort()

/** A night on a day. @returns what was told */
async function night(day: string, flags = '') {
  const { code, stderr } = await nightlyOf(day, flags)
  return { code, told: told(), stderr }
}

/** The newest price of each fund once more, with the same NAV. */
const addPrices = (...days: readonly string[]) =>
  editDatabase(
    db(),
    days
      .map(
        (day) =>
          `INSERT INTO price SELECT isin, '${day}', issue_price, repurchase_price, net_asset_value, '0.00', '0.00', performance,
             intercompany_profit, share_profit, real_estate_profits, share_profit2
           FROM price AS own WHERE date = (SELECT max(date) FROM price WHERE isin = own.isin);`,
      )
      .join(''),
  )
const complete = async () => {
  expect((await press.bare('import --complete --db funds.sqlite')).code).toBe(0)
}

it('tells once that no expected price came, that prices are stale, and that both have ended', async () => {
  configure({
    notify: [{ type: 'webhook', url: receiver.url('/all'), events: ['late', 'stale', 'refused', 'failed'] }],
    expectations: { strictness: 0.1 },
  })
  const nights = [
    ['2026-11-11', []],
    ['2026-11-12', ['late begun: no price of 2026-11-11']],
    ['2026-11-13', []],
    ['2026-11-14', []],
    ['2026-11-15', []],
    ['2026-11-16', []],
    ['2026-11-17', []],
    ['2026-11-18', ['stale begun: 2 funds with stale prices']],
    ['2026-11-19', []],
  ] as const
  for (const [day, expected] of nights)
    expect({ day, ...(await night(day)) }).toMatchObject({ code: 0, told: expected })
  addPrices('2026-11-19')
  expect(await night('2026-11-20')).toMatchObject({
    code: 0,
    told: [
      'late ended: new prices are there, those of 2026-11-11 were missing',
      'stale ended: 2 funds without stale prices again',
    ],
  })
  expect(await night('2026-11-21')).toMatchObject({
    code: 0,
    told: [expect.stringMatching(/^late begun: no price of 2026-11-20/)],
  })
})

it('tells nothing of prices that come a day late each day', async () => {
  configure({ notify: [{ type: 'webhook', url: receiver.url('/all'), events: ['late', 'stale'] }] })
  const nights = [
    ['2026-11-12', []],
    ['2026-11-13', ['2026-11-11']],
    ['2026-11-14', ['2026-11-12']],
    ['2026-11-15', []],
    ['2026-11-16', []],
    ['2026-11-17', ['2026-11-13']],
    ['2026-11-18', ['2026-11-16']],
  ] as const
  for (const [day, days] of nights) {
    addPrices(...days)
    expect({ day, ...(await night(day)) }).toMatchObject({ code: 0, told: [] })
  }
})

it('names the stale funds that are new, and those that are gone from the list', async () => {
  configure({ expectations: { strictness: 0.1 } })
  await night('2026-11-11')
  await night('2026-11-18')
  editDatabase(db(), 'UPDATE fund SET data_permitted = 0 WHERE isin = (SELECT max(isin) FROM fund)')
  await nightlyOf('2026-11-19', '--allow lost-funds --reason test')
  const ended = receiver.take().find(({ event }) => event === 'stale')
  expect(ended).toMatchObject({
    state: 'ended',
    details: [expect.stringMatching(/^\w{12}: not among the published funds any more$/)],
  })
})

describe('with requireComplete', () => {
  it('tells once which day is missing, over attempts and nights, and once that it came', async () => {
    configure({
      notify: [{ type: 'webhook', url: receiver.url('/all') }],
      requireComplete: true,
    })
    await complete()
    expect(await night('2026-11-11')).toMatchObject({ code: 0, told: [] })
    const nights = [
      ['2026-11-12', ['refused: refused in night, no complete load of 2026-11-11'], '2026-11-11'],
      ['2026-11-12', [], '2026-11-11'],
      ['2026-11-13', ['refused: refused in night, no complete load of 2026-11-12'], '2026-11-12'],
      ['2026-11-14', ['refused: refused in night, no complete load of 2026-11-13'], '2026-11-13'],
      ['2026-11-15', [], '2026-11-13'],
      ['2026-11-16', [], '2026-11-13'],
    ] as const
    for (const [day, expected, missing] of nights) {
      const run = await night(day)
      expect({
        day,
        code: run.code,
        told: run.told,
      }).toEqual({
        day,
        code: 3,
        told: expected,
      })
      expect(run.stderr).toContain(`the load of ${missing} is missing`)
    }
    addPrices('2026-11-13')
    await complete()
    expect(await nightlyOf('2026-11-16')).toMatchObject({ code: 0 })
    const done = receiver.take().find(({ event }) => event === 'done')
    expect(done).toMatchObject({
      title: 'fundpress 2026-11-16: live after 6 failures',
      failures: 6,
      reason: 'a complete load is there: those of 2026-11-11, 2026-11-12, 2026-11-13 had not come',
    })
    expect(keptEvents().map(({ kind, times = 1 }) => `${String(kind)} ${String(times)}`)).toEqual([
      'refused 2',
      'refused 1',
      'refused 3',
      'done 6',
    ])
    expect(await night('2026-11-16')).toMatchObject({ code: 0, told: [] })
  })
})

it('a warning is known by its fund and figure, not by its words', async () => {
  const costs = (percent: number) => editDatabase(db(), `UPDATE profile SET total_expense_ratio = ${percent}`)
  costs(16)
  expect((await night('2026-11-11')).told).toEqual(['warned: live with 2 new warnings'])
  addPrices('2026-11-11')
  costs(17)
  expect((await night('2026-11-12')).told).toEqual([])
  // Another figure is another fault.
  addPrices('2026-11-12')
  editDatabase(db(), 'UPDATE profile SET management_fee = 0.01')
  expect((await night('2026-11-13')).told).toEqual(['warned: live with 2 new warnings'])
})

it('tells each correction in the night that it is of, and none twice', async () => {
  await night('2026-11-11')
  const correct = (day: string, value: number) =>
    editDatabase(db(), `UPDATE price SET share_profit = '${value}' WHERE date = '${day}'`)
  const corrected = ['warned: live with 2 prices of 2 funds corrected']
  const nights = [
    ['2026-11-12', () => correct('2026-11-05', 5), corrected],
    ['2026-11-13', () => correct('2026-11-05', 6), corrected],
    ['2026-11-14', () => undefined, []],
    ['2026-11-17', () => correct('2026-11-06', 6), corrected],
  ] as const
  for (const [day, change, expected] of nights) {
    addPrices(`2026-11-${String(Number(day.slice(-2)) - 1).padStart(2, '0')}`)
    change()
    expect({ day, told: (await night(day)).told }).toEqual({ day, told: expected })
  }
})

it('a NAV that stays is told when it has stayed for long, and not each night', async () => {
  const days = ['11', '12', '13', '16', '17', '18', '19', '20', '23', '24'].map((day) => `2026-11-${day}`)
  addPrices(...days)
  const flags = '--allow column --reason test'
  expect((await night('2026-11-25', flags)).told).toContain('warned: live with 2 new warnings')
  for (const [added, day] of [
    ['25', '26'],
    ['26', '27'],
  ]) {
    addPrices(`2026-11-${added ?? ''}`)
    expect(
      (await night(`2026-11-${day ?? ''}`, flags)).told.filter((line) => line.startsWith('warned')),
    ).toEqual([])
  }
})

describe('a load that is late by the clock', () => {
  const watch = () => press.fundpress('status --max-age 9999d --quiet')
  const ask = () => nightlyOf('2026-11-11', '--ask')

  it('is told once for each missing day, by whichever command sees it first, and once when it came', async () => {
    await nightlyOf('2026-11-11')
    const load = { expectedBy: '00:00' }
    configure({ load, db: 'funds.sqlite' })
    const late = expect.stringMatching(
      /^fundpress: s3:\/\/funds: the load of 20\d\d-\d\d-\d\d is late: it was expected by 00:00, and the last one is of 2026-11-10\n$/,
    ) as string
    expect(await watch()).toMatchObject({ code: 1, stderr: late })
    const begun = expect.stringMatching(/^late begun: the load of \S+ is late$/) as string
    expect(told()).toEqual([begun])
    expect((await watch()).code).toBe(1)
    expect((await ask()).code).toBe(0)
    expect(told()).toEqual([])
    addPrices(todayInBerlin(new Date()))
    expect((await ask()).code).toBe(0)
    expect(told()).toEqual([
      expect.stringMatching(/^late ended: new prices are there, those of \S+ were missing$/),
    ])
    expect((await watch()).code).toBe(0)
    expect(told()).toEqual([])
  })

  it('is not known without the database, or without a time', async () => {
    await nightlyOf('2026-11-11')
    for (const config of [
      { db: 'funds.sqlite' },
      { db: 'elsewhere.sqlite', load: { expectedBy: '00:00' } },
    ]) {
      configure(config)
      expect((await watch()).code).toBe(0)
    }
    expect(told()).toEqual([])
  })

  it('is told again until a target has taken it', async () => {
    await nightlyOf('2026-11-11')
    const load = { expectedBy: '00:00' }
    configure({ load, db: 'funds.sqlite', notify: [{ type: 'command', command: ['/bin/false'] }] })
    expect((await watch()).code).toBe(1)
    configure({ load, db: 'funds.sqlite' })
    expect((await watch()).code).toBe(1)
    expect(told()).toHaveLength(1)
  })
})
