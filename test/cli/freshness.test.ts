/** Whether prices are new enough: what a build says of it, and what the status files do. */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { editDatabase } from '../support/database.ts'
import { asOf, freshness, isins, makePricedFunds, names } from '../support/priced-funds.ts'
import { makeTempFolder } from '../support/product.ts'
import { faultsOf, hashesOf } from '../support/tree.ts'
import { run, start } from './run.ts'

const folder = makeTempFolder()
afterAll(folder.remove)

interface Fund {
  readonly isin: string
  readonly name: string
  readonly mark: string
}
interface Status extends Readonly<Record<string, unknown>> {
  readonly snapshot: string
  readonly overdue: readonly Fund[]
  readonly prices: readonly Fund[]
}

const configure = (config: object) => {
  writeFileSync(folder.file('fundpress.config.json'), JSON.stringify({ freshness: config }))
}
const build = (out: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
  run(['build', '--db', 'funds.sqlite', '--out', out, '--as-of', asOf, ...args], { cwd: folder.path, env })
const textOf = (out: string, name: string) => readFileSync(folder.file(`${out}/status/${name}`), 'utf8')
const statusOf = (out: string) => JSON.parse(textOf(out, 'index.json')) as Status

beforeAll(async () => {
  makePricedFunds(folder.file('funds.sqlite'))
  configure(freshness)
})

describe('a build', () => {
  it('marks each fund by the age of its newest price in business days, and counts', async () => {
    const { code, stdout, stderr } = await build('out', ['--json'])
    expect([code, stderr]).toEqual([0, ''])
    const counts = { fresh: 3, late: 1, stale: 1, unwatched: 1, unpriced: 1, withheld: 2 }
    const { snapshot, documents, bytes, ...summary } = JSON.parse(stdout) as Status & Record<string, unknown>
    expect(summary).toMatchObject({
      freshness: counts,
      // The merged fund's price is older, but nobody waits for a newer one.
      oldestPrice: { isin: isins.monthly, day: '2026-10-30' },
      overdue: [
        {
          isin: isins.stale,
          name: names.stale,
          mark: 'stale',
          newestPrice: '2026-11-10',
          nextPrice: '2026-11-11',
        },
        {
          isin: isins.late,
          name: names.late,
          mark: 'late',
          newestPrice: '2026-11-17',
          nextPrice: '2026-11-18',
        },
      ],
    })

    const { overdue, prices, ...status } = statusOf('out')
    expect(status).toEqual({
      format: 1,
      snapshot,
      as_of: asOf,
      funds: 9,
      documents,
      bytes,
      oldest_price: '2026-10-30',
      newest_price: '2026-11-19',
      freshness: counts,
    })
    expect(overdue.map(({ isin }) => isin)).toEqual([isins.stale, isins.late])
    const row = (kind: keyof typeof isins, mark: string, ...rest: readonly (string | number | null)[]) => {
      const [newest_price = null, age_business_days = null, rhythm_business_days = null, next_price = null] =
        rest
      const days = { age_business_days, rhythm_business_days, next_price }
      return { isin: isins[kind], name: names[kind], mark, newest_price, ...days }
    }
    expect(prices).toEqual([
      row('fresh', 'fresh', '2026-11-19', 1, 1, '2026-11-20'),
      row('late', 'late', '2026-11-17', 3, 1, '2026-11-18'),
      row('stale', 'stale', '2026-11-10', 8, 1, '2026-11-11'),
      row('monthly', 'fresh', '2026-10-30', 15, 22, '2026-12-01'),
      row('single', 'fresh', '2026-11-19', 1),
      row('merged', 'unwatched', '2019-06-28', 1000, 1),
      row('unpriced', 'unpriced'),
      row('withheld', 'withheld'),
    ])
  })

  it('marks late and stale prices on the list of the funds and on their pages, in words, and no others', async () => {
    expect(await build('pages', [], { FUNDPRESS_PAGES: 'true' })).toMatchObject({ code: 0 })
    const read = (name: string) => readFileSync(folder.file(`pages/funds/${name}`), 'utf8')
    const kinds = ['fresh', 'late', 'stale', 'monthly', 'single', 'merged', 'unpriced', 'withheld'] as const
    for (const [name, late, stale, said] of [
      ['index.html', 'late', 'stale', 'Late or stale prices: 2.'],
      ['de.html', 'verspätet', 'veraltet', 'Verspätete oder veraltete Preise: 2.'],
    ] as const) {
      const marked = (kind: (typeof kinds)[number]) =>
        kind === 'late' ? [late] : kind === 'stale' ? [stale] : []
      const words = (text: string) =>
        [...text.matchAll(/class="mark \w+">([^<]*)</g)].map(([, word = '']) => word)
      const list = read(name)
      expect(list).toContain(said)
      for (const kind of kinds) {
        const row = list.split('<tr>').find((one) => one.includes(isins[kind])) ?? ''
        expect([kind, words(row)]).toEqual([kind, marked(kind)])
        const page = read(`${isins[kind]}/${name}`)
        expect([kind, words(page)]).toEqual([kind, marked(kind)])
        expect(/<p class="(late|stale)">/.exec(page)?.[1]).toBe(words(page).length > 0 ? kind : undefined)
      }
    }
    const { funds } = JSON.parse(read('index.json')) as {
      funds: readonly { isin: string; price: { overdue: string | null } | null }[]
    }
    const overdue = new Map(funds.map(({ isin, price }) => [isin, price?.overdue]))
    expect(kinds.map((kind) => overdue.get(isins[kind]))).toEqual([
      ...[null, 'late', 'stale', null, null, null],
      ...[undefined, undefined],
    ])
  })

  it('is what `show` tells of a price, out of the snapshot as out of the database', async () => {
    for (const args of [
      ['--out', 'out'],
      ['--db', 'funds.sqlite', '--as-of', asOf],
    ]) {
      const show = async (kind: keyof typeof isins) =>
        (await run(['show', isins[kind], ...args], { cwd: folder.path })).stdout.split('\n')
      expect(await show('stale')).toContain(`stale: 8 business days before ${asOf}`)
      expect(await show('late')).toContain(`late: 3 business days before ${asOf}`)
      expect(await show('merged')).toContain(`not watched: at least 1000 business days before ${asOf}`)
      expect((await show('withheld')).join()).not.toContain('business day')
    }
  })

  it('says nothing at all of a fund of which nothing may be given out', () => {
    for (const name of ['de.html', 'index.html', 'index.json']) {
      expect(textOf('out', name)).not.toContain(names.hidden)
      expect(textOf('out', name)).not.toContain(isins.hidden)
    }
  })

  it('names the late funds in its summary, whatever they are called', async () => {
    const { stdout } = await build('said')
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      `stale  ${isins.stale}  ${names.stale}: newest price 2026-11-10, the next was expected on 2026-11-11`,
      `late   ${isins.late}  \\u202eevil: newest price 2026-11-17, the next was expected on 2026-11-18`,
      '',
    ])
    expect(stdout).toMatch(
      /\nprices +3 fresh, 1 late, 1 stale, 1 not watched, 1 without a price, 2 not given out\n/,
    )
  })

  it('gives the same bytes in any time zone and language, with any number of threads', async () => {
    const elsewhere = { TZ: 'Pacific/Kiritimati', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' }
    expect(await build('again', ['--jobs', '1'])).toMatchObject({ code: 0 })
    expect(await build('elsewhere', ['--jobs', '3'], elsewhere)).toMatchObject({ code: 0 })
    expect(hashesOf(folder.file('elsewhere'))).toEqual(hashesOf(folder.file('again')))
    expect(faultsOf(folder.file('again'))).toEqual([])
  })

  it('holds a fund that no group is for to the general thresholds, and the first group that fits counts', async () => {
    const marksWith = async (settings: object) => {
      configure(settings)
      expect(await build('other', ['--quiet'])).toMatchObject({ code: 0, stderr: '' })
      configure(freshness)
      return Object.fromEntries(statusOf('other').prices.map(({ isin, mark }) => [isin, mark]))
    }
    const general = await marksWith({})
    expect(general).toMatchObject({ [isins.monthly]: 'stale', [isins.merged]: 'stale' })
    const { snapshot } = statusOf('other')
    // It is made of the answers, which are the same.
    expect(snapshot).toBe(statusOf('out').snapshot)

    const lax = { currency: 'EUR', warnDays: 8, errorDays: 15 }
    const all = await marksWith({ groups: [lax, { isins: [isins.stale], never: true }] })
    expect(all).toMatchObject({ [isins.stale]: 'fresh', [isins.monthly]: 'late', [isins.merged]: 'stale' })
    const both = await marksWith({ groups: [{ ...lax, isins: [isins.late, isins.stale] }] })
    expect(both).toMatchObject({ [isins.stale]: 'fresh', [isins.monthly]: 'stale' })
    const english = await marksWith({ groups: [{ category: 'Equity fund', never: true }] })
    expect(english).toMatchObject({ [isins.fresh]: 'unwatched', [isins.withheld]: 'withheld' })
    // Exactly as old as allowed.
    expect(await marksWith({ warnDays: 3, errorDays: 7 })).toMatchObject({
      [isins.late]: 'fresh',
      [isins.stale]: 'stale',
    })
    expect(await marksWith({ warnDays: 2, errorDays: 8 })).toMatchObject({ [isins.stale]: 'late' })
  })

  it('counts with the holidays of the calendar', async () => {
    const edit = (day: string) => {
      editDatabase(
        folder.file('funds.sqlite'),
        `DELETE FROM price; INSERT INTO price (isin, date, issue_price,
        repurchase_price, net_asset_value, change, change_percent, performance)
        VALUES ('${isins.fresh}', '${day}', '1', '1', '1', '0', '0', '0')`,
      )
    }
    const ageOn = async (day: string, settings: object) => {
      configure(settings)
      await build('holidays', ['--as-of', day, '--quiet'])
      return statusOf('holidays').prices[0]
    }
    edit('2026-05-13')
    // Ascension is no holiday of TARGET.
    expect(await ageOn('2026-05-15', {})).toMatchObject({ age_business_days: 1 })
    expect(await ageOn('2026-05-15', { calendar: 'TARGET' })).toMatchObject({ age_business_days: 2 })
    edit('2026-12-23')
    expect(await ageOn('2026-12-28', {})).toMatchObject({ age_business_days: 1 })
    expect(await ageOn('2026-12-28', { yearEndOpen: true })).toMatchObject({ age_business_days: 2 })
    makeAnew()
  })

  it.each([
    [{ calendar: 'XX' }, 'freshness.calendar is XX: there is no calendar XX'],
    [
      { groups: [{ currency: 'EUR', calendar: 'DE-ZZ' }] },
      'freshness.groups[0].calendar is DE-ZZ: the calendar DE has no state ZZ',
    ],
    [{ warnDays: 6 }, 'freshness: warnDays is 6, more than errorDays, which is 5'],
    [
      { groups: [{ currency: 'USD' }, { currency: 'EUR', warnDays: 25 }] },
      'freshness.groups[1]: warnDays is 25, more than errorDays, which is 5',
    ],
  ])('is refused before it begins with %j', async (settings, reason) => {
    configure(settings)
    const { code, stdout, stderr } = await build('refused')
    configure(freshness)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)])
    expect(stderr).toMatch(/^fundpress: the settings are wrong: [^\n]+\n$/)
  })
})

describe('check', () => {
  const check = () => run(['check', '--db', 'funds.sqlite', '--as-of', asOf, '--json'], { cwd: folder.path })
  const warned = async () => {
    const { findings } = JSON.parse((await check()).stdout) as {
      readonly findings: readonly { readonly isin: string; readonly message: string }[]
    }
    const ofPrices = findings.filter(({ message }) => message.startsWith('the newest price'))
    return Object.fromEntries(ofPrices.map(({ isin, message }) => [isin, message]))
  }

  it('warns of the funds that a build calls late or stale, by the thresholds and groups of the settings', async () => {
    expect(await warned()).toEqual({
      [isins.late]: 'the newest price, of 2026-11-17, is late: 3 business days before 2026-11-20',
      [isins.stale]: 'the newest price, of 2026-11-10, is stale: 8 business days before 2026-11-20',
    })
    configure({ warnDays: 8, errorDays: 8 })
    const lax = await warned()
    configure(freshness)
    expect(lax).toEqual({
      [isins.monthly]: 'the newest price, of 2026-10-30, is stale: 15 business days before 2026-11-20',
      [isins.merged]:
        'the newest price, of 2019-06-28, is stale: at least 1000 business days before 2026-11-20',
    })
  })

  it('refuses settings that a build refuses', async () => {
    configure({ calendar: 'XX' })
    const { code, stderr } = await check()
    configure(freshness)
    expect([code, stderr]).toEqual([2, expect.stringContaining('freshness.calendar is XX')])
  })
})

function makeAnew(): void {
  writeFileSync(folder.file('funds.sqlite'), '')
  makePricedFunds(folder.file('funds.sqlite'))
  configure(freshness)
}

describe('the page', () => {
  it.each([
    ['index.html', 'Some prices are stale', ['late', '1 Dec 2026', 'not watched', '≥\u00a01,000']],
    ['de.html', 'Preise sind veraltet', ['verspätet', '01.12.2026', 'nicht überwacht', '≥\u00a01.000']],
  ])(
    '%s shows the same as the JSON, whatever funds are called, and asks nobody for anything',
    (name, ...said) => {
      const page = textOf('out', name)
      expect(page).toContain('<bdi>&#60;/script&#62;&#60;b&#62;&#34;&#38;&#39;</bdi>')
      expect(page.match(/<\/?script[^>]*>/g)).toEqual(['<script src="status.js" defer>', '</script>'])
      expect(page).not.toContain('<b>')
      expect(page).not.toMatch(/https?:|@import|url\(|<style|style="/)
      for (const { isin } of statusOf('out').prices) expect(page).toContain(`<small>${isin}</small>`)
      expect(page.indexOf(isins.stale)).toBeLessThan(page.indexOf(isins.fresh))
      for (const word of [...said.flat(), statusOf('out').snapshot]) expect(page).toContain(word)
    },
  )

  it('is put into a snapshot with other pages with nothing of its own that these have', async () => {
    expect(await build('site', ['--quiet'], { FUNDPRESS_PAGES: 'true' })).toMatchObject({ code: 0 })
    expect(textOf('site', 'index.html')).toContain('href="../docs/assets/style.css"')
    // The feed is a publish's, whatever else the snapshot has.
    expect(textOf('out', 'index.html').replaceAll('../changes/feed.xml', '')).not.toContain('../')
    expect(textOf('out', 'status.css')).toContain(textOf('site', 'status.css'))
    expect(textOf('out', 'status.css')).toContain(
      readFileSync(folder.file('site/docs/assets/style.css'), 'utf8'),
    )
    expect(textOf('out', 'status.js')).toBe(textOf('site', 'status.js'))
  })

  it('says that no prices are watched where there is no fund to watch', async () => {
    configure({ groups: [{ never: true, currency: 'EUR' }] })
    expect(await build('unwatched', ['--quiet'])).toMatchObject({ code: 0 })
    configure(freshness)
    expect(textOf('unwatched', 'index.html')).toContain('No prices are monitored')
    expect(textOf('unwatched', 'index.html')).toContain('None.')
  })
})

describe('serve', () => {
  it.each([
    ['true', ['/funds/', '/docs/', '/api/v1/prices-current/']],
    ['false', ['/api/v1/prices-current/', '/api/v1/prices-historic/', '/api/v1/profile/']],
  ])('names pages to open before requests to try, with pages: %s', async (withPages, wanted) => {
    expect(await build('served', ['--quiet'], { FUNDPRESS_PAGES: withPages })).toMatchObject({ code: 0 })
    const child = start(['serve', '--out', 'served', '--port', '0'], { cwd: folder.path })
    try {
      let said = ''
      for await (const chunk of child.stdout ?? []) {
        said += String(chunk)
        if (said.includes('profile')) break
      }
      const links = [...said.matchAll(/^ {2}(http\S+)$/gm)].map(([, link = '']) => link)
      expect(links.map((link) => new URL(link).pathname.replace(/[A-Z0-9]{12}.*/, '')).slice(0, 3)).toEqual(
        wanted,
      )
      for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200])
    } finally {
      child.kill()
    }
  })
})
