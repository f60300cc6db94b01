/** The age of prices: what a build, `check` and the status page say, by the settings in `freshness`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { asOf, freshness, isins, makePricedFunds, names } from '../support/priced-funds.ts'
import { tempFolder } from '../support/product.ts'
import { hashesOf } from '../support/tree.ts'
import { run, start, type Ended } from './run.ts'
import { expectFailure, expectSuccess } from './outcome.ts'

const folder = tempFolder()

type Fund = Readonly<Record<'isin' | 'name' | 'mark', string>>
interface Status extends Readonly<Record<string, unknown>> {
  readonly snapshot: string
  readonly overdue: readonly Fund[]
  readonly prices: readonly Fund[]
}
type Findings = readonly {
  readonly isin: string | null
  readonly severity: string
  readonly message: string
}[]

const inFolder = { cwd: folder.path }
const config = folder.file('fundpress.config.json')
const configure = (rules: object) => writeFileSync(config, JSON.stringify({ freshness: rules }))
const build = (out: string, flags = '', env: Record<string, string> = {}) =>
  run(`build --db funds.sqlite --out ${out} --as-of ${asOf}${flags}`, { ...inFolder, env })
const mustBuild = async (out: string, flags = '', env: Record<string, string> = {}) =>
  expect(await build(out, ` --quiet${flags}`, env)).toMatchObject({ code: 0, stderr: '' })
const check = (flags = '') => run(`check --db funds.sqlite --as-of ${asOf}${flags}`, inFolder)
const findingsOf = ({ stdout }: Ended) => (JSON.parse(stdout) as { readonly findings: Findings }).findings
const textOf = (out: string, name: string) => readFileSync(folder.file(`${out}/status/${name}`), 'utf8')
const statusOf = (out: string) => JSON.parse(textOf(out, 'index.json')) as Status

beforeAll(() => {
  makePricedFunds(folder.file('funds.sqlite'))
  configure(freshness)
})
afterEach(() => configure(freshness))

describe('a build', () => {
  it('marks each fund by the age of its newest price in business days, and counts', async () => {
    const stdout = await expectSuccess(build('out', ' --json'))
    const counts = {
      fresh: 3,
      late: 1,
      stale: 1,
      suspended: 0,
      ended: 0,
      unwatched: 1,
      unpriced: 1,
      withheld: 2,
    }
    const { snapshot, documents, bytes, ...summary } = JSON.parse(stdout) as Status & Record<string, unknown>
    expect(summary).toMatchObject({
      freshness: counts,
      // The merged fund's price is older, but no newer one is expected.
      oldestPrice: { isin: isins.monthly, day: '2026-10-30' },
      overdue: [
        { isin: isins.stale, mark: 'stale', newestPrice: '2026-11-10', nextPrice: '2026-11-11' },
        { isin: isins.late, mark: 'late', newestPrice: '2026-11-17', nextPrice: '2026-11-18' },
      ],
    })

    const { overdue, prices, ...status } = statusOf('out')
    expect(status).toEqual({
      format: 1,
      snapshot,
      as_of: asOf,
      // Without the fund whose data may not be published.
      funds: 8,
      documents,
      bytes,
      oldest_price: '2026-10-30',
      newest_price: '2026-11-19',
      freshness: { ...counts, withheld: 1 },
    })
    expect(overdue.map(({ isin }) => isin)).toEqual([isins.stale, isins.late])
    const row = (kind: keyof typeof isins, mark: string, ...rest: readonly (string | number | null)[]) => {
      const [newest_price = null, age = null, rhythm = null, next_price = null] = rest
      const days = { age_business_days: age, rhythm_business_days: rhythm, next_price }
      return { isin: isins[kind], name: names[kind], mark, newest_price, ...days }
    }
    expect(prices).toEqual([
      row('fresh', 'fresh', '2026-11-19', 1, 1, '2026-11-20'),
      row('late', 'late', '2026-11-17', 3, 1, '2026-11-18'),
      row('stale', 'stale', '2026-11-10', 8, 1, '2026-11-11'),
      row('monthly', 'fresh', '2026-10-30', 15, 22, '2026-11-30'),
      row('single', 'fresh', '2026-11-19', 1),
      row('merged', 'unwatched', '2019-06-28', 1000, 1),
      row('unpriced', 'unpriced'),
      row('withheld', 'withheld'),
    ])
  })

  it('marks late and stale prices, and no others, on the list of funds and on their pages', async () => {
    await mustBuild('pages', '', { FUNDPRESS_PAGES: 'true' })
    const read = (name: string) => readFileSync(folder.file(`pages/funds/${name}`), 'utf8')
    const kinds = ['fresh', 'late', 'stale', 'monthly', 'single', 'merged', 'unpriced', 'withheld'] as const
    for (const [name, late, stale, said] of [
      ['index.html', 'late', 'stale', '2\u00a0prices are late or stale.'],
      ['de.html', 'verspätet', 'veraltet', '2\u00a0Preise sind verspätet oder veraltet.'],
    ] as const) {
      const words = (text: string) => [...text.matchAll(/class="mark \w+">([^<]*)</g)].map(([, word]) => word)
      const list = read(name)
      expect(list).toContain(said)
      for (const kind of kinds) {
        const marked = kind === 'late' ? [late] : kind === 'stale' ? [stale] : []
        const row = list.split('<tr>').find((one) => one.includes(isins[kind])) ?? ''
        expect({ kind, marks: words(row) }).toEqual({ kind, marks: marked })
        const page = read(`${isins[kind]}/${name}`)
        expect({ kind, marks: words(page) }).toEqual({ kind, marks: marked })
        const notice = /<p class="callout fault">[^<]*?(late|stale|verspätet|veraltet)/.exec(page)?.[1]
        expect({ kind, notice }).toEqual({ kind, notice: marked[0] })
      }
    }
    const { funds } = JSON.parse(read('index.json')) as {
      funds: readonly { isin: string; price: { overdue: string | null } | null }[]
    }
    const overdue = new Map(funds.map(({ isin, price }) => [isin, price?.overdue]))
    const wanted = [null, 'late', 'stale', null, null, null, undefined, undefined]
    expect(kinds.map((kind) => overdue.get(isins[kind]))).toEqual(wanted)
  })

  it('says on the status page since when a price is awaited', () => {
    const rows = textOf('out', 'index.html').split('<tr>')
    const rowOf = (isin: string) => rows.find((row) => row.includes(isin))
    expect(rowOf(isins.late)).toContain('since\u00a0<time datetime="2026-11-18">')
    expect(rowOf(isins.fresh)).not.toContain('since')
  })

  it('names no fund that must not be published', () => {
    for (const name of ['de.html', 'index.html', 'index.json'])
      for (const word of [names.hidden, isins.hidden]) expect(textOf('out', name)).not.toContain(word)
  })

  it('names the late funds in its summary, also with hostile names', async () => {
    const { stdout } = await build('said')
    // After the line about the address.
    expect(stdout.split('\n').slice(2, 5)).toEqual([
      `stale  ${isins.stale}  ${names.stale}: newest price 2026-11-10, the next was expected on 2026-11-11`,
      `late   ${isins.late}  \\u202eevil: newest price 2026-11-17, the next was expected on 2026-11-18`,
      '',
    ])
    expect(stdout).toMatch(
      /\nprices +3 up to date, 1 late, 1 stale, 1 not monitored, 1 without a price, 2 not published/,
    )
  })

  it('applies the first group that fits a fund, or else the general thresholds', async () => {
    const marksWith = async (settings: object) => {
      configure(settings)
      await mustBuild('other')
      return Object.fromEntries(statusOf('other').prices.map(({ isin, mark }) => [isin, mark]))
    }
    const general = await marksWith({})
    // By its rhythm, the next price of the monthly fund is not due yet.
    expect(general).toMatchObject({ [isins.monthly]: 'fresh', [isins.merged]: 'stale' })
    // The id is made of the answers, which are the same.
    expect(statusOf('other').snapshot).toBe(statusOf('out').snapshot)

    const lax = { currency: 'EUR', warnDays: 8, errorDays: 15 }
    const all = await marksWith({ groups: [lax, { isins: [isins.stale], never: true }] })
    expect(all).toMatchObject({ [isins.stale]: 'fresh', [isins.monthly]: 'late', [isins.merged]: 'stale' })
    // Exactly as old as allowed.
    const exact = await marksWith({ warnDays: 3, errorDays: 7 })
    expect(exact).toMatchObject({ [isins.late]: 'fresh', [isins.stale]: 'stale' })
    expect(await marksWith({ warnDays: 2, errorDays: 8 })).toMatchObject({ [isins.stale]: 'late' })
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
  ])('is refused before it begins with %j, as is a check', async (settings, reason) => {
    configure(settings)
    for (const run of [() => build('refused'), check])
      await expectFailure(run(), `fundpress: the settings are wrong: ${reason}`, 2)
  })
})

it('`check` warns of the funds that a build calls late or stale', async () => {
  const warned = async () => {
    const findings = findingsOf(await check(' --json'))
    const ofPrices = findings.filter(({ message }) => message.startsWith('the newest price'))
    return Object.fromEntries(ofPrices.map(({ isin, message }) => [String(isin), message]))
  }
  expect(await warned()).toEqual({
    [isins.late]: 'the newest price, of 2026-11-17, is late: 3 business days before 2026-11-20',
    [isins.stale]: 'the newest price, of 2026-11-10, is stale: 8 business days before 2026-11-20',
  })
  configure({ warnDays: 8, errorDays: 8 })
  expect(await warned()).toEqual({
    [isins.merged]:
      'the newest price, of 2019-06-28, is stale: at least 1000 business days before 2026-11-20',
  })
})

describe('a group that fits no fund', () => {
  const wrong = 'LU9912417814'
  const rules = {
    groups: [
      { category: 'Gibtsnicht', never: true },
      ...freshness.groups,
      { isins: [wrong, isins.fresh, 'DE0008471400'], never: true },
      { category: 'Immobilienfonds', currency: 'EUR' },
      { currency: 'CHF' },
      { category: 'Immobilienfonds', isins: [isins.late] },
      { category: '\u202eevil' },
    ],
  }
  const told = [
    'freshness.groups[0]: no fund has the category "Gibtsnicht"',
    `freshness.groups[3]: there are no funds ${wrong} (wrong check digit), DE0008471400`,
    'freshness.groups[5]: no fund has the currency CHF',
    'freshness.groups[6]: no fund has all that it names',
    expect.stringMatching(/^freshness\.groups\[7\]: no fund has the category [ -~]*evil[ -~]*$/) as string,
  ]
  const warned = told.map((message) => ({ severity: 'warning', message }))
  const warnedBy = (findings: Findings) =>
    findings.filter(({ isin }) => isin === null).map(({ severity, message }) => ({ severity, message }))

  it('is named by `check`, with its place in the settings and what fits no fund', async () => {
    configure(rules)
    const json = await check(' --json')
    expect({ code: json.code, findings: warnedBy(findingsOf(json)) }).toEqual({ code: 0, findings: warned })
    const { stdout } = await check()
    expect(stdout).toContain(`The database\n  warning  settings: ${told[0] ?? ''}\n`)
    expect(stdout).toMatch(/\n0 errors, 9 warnings\n$/)
  })

  it('is named by a build and by a merge, not by a shard, and changes no byte', async () => {
    configure(rules)
    const whole = await build('whole')
    expect(whole.stdout.split('\n').slice(1, 5)).toEqual(told.slice(0, 4).map((line) => `warning  ${line}`))
    const lines = (text: string) => text.split('\n').filter((line) => line.includes('freshness.groups['))
    for (const number of [1, 2]) {
      const shard = await build(`shard-${number}`, ` --shard ${number}/2`)
      expect(shard.code).toBe(0)
      expect(lines(shard.stdout + shard.stderr)).toEqual([])
    }
    const merged = await run('build --merge shard-1 shard-2 --db funds.sqlite --out merged', inFolder)
    expect(merged.code).toBe(0)
    expect(lines(merged.stdout)).toEqual(lines(whole.stdout))
    expect(hashesOf(folder.file('merged'))).toEqual(hashesOf(folder.file('whole')))
    for (const name of ['index.json', 'index.html']) expect(textOf('whole', name)).not.toContain('Gibtsnicht')
  })
})

describe('the status page', () => {
  it.each([
    [
      'index.html',
      '2 prices are late or stale',
      ['late', '30\u00a0Nov\u00a02026', 'not monitored', '≥\u00a01,000'],
    ],
    [
      'de.html',
      '2 Preise sind verspätet oder veraltet',
      ['verspätet', '30.11.2026', 'nicht überwacht', '≥\u00a01.000'],
    ],
  ])('%s shows the same as the JSON, escapes names and loads nothing from elsewhere', (name, ...said) => {
    const page = textOf('out', name)
    expect(page).toContain('<bdi>&#60;/script&#62;&#60;b&#62;&#34;&#38;&#39;</bdi>')
    expect(page.match(/<\/?script[^>]*>/g)).toEqual(['<script src="status.js" defer>', '</script>'])
    expect(page).not.toContain('<b>')
    // Its own address stands in the head, for search engines.
    const others = page.replaceAll(/(?:href|content)="http:\/\/localhost:8080\//g, '')
    expect(others).not.toMatch(/https?:|@import|url\(|<style|style="/)
    for (const { isin } of statusOf('out').prices) expect(page).toContain(`<small>${isin}</small>`)
    expect(page.indexOf(isins.stale)).toBeLessThan(page.indexOf(isins.fresh))
    for (const word of [...said.flat(), statusOf('out').snapshot]) expect(page).toContain(word)
  })

  it('says that no prices are monitored if no fund is watched', async () => {
    configure({ groups: [{ never: true, currency: 'EUR' }] })
    await mustBuild('unwatched')
    expect(textOf('unwatched', 'index.html')).toContain('No prices are monitored')
    expect(textOf('unwatched', 'index.html')).toContain('<span>6 funds are not monitored</span>')
  })
})

it.each([
  // The list of funds, and the page of one.
  ['pages', ['/funds/', '/funds/', '/docs/', '/api/v1/prices-current/']],
  ['out', ['/api/v1/prices-current/', '/api/v1/prices-historic/', '/api/v1/profile/']],
])('`serve` names pages to open, if there are some, before requests to try: %s', async (out, wanted) => {
  const child = start(`serve --out ${out} --port 0`, inFolder)
  try {
    let said = ''
    for await (const chunk of child.stdout ?? []) {
      said += String(chunk)
      if (said.includes('FUNDPRESS_BASE_URL')) break
    }
    // The pages link to another port than this one.
    expect(said).toMatch(/\nbaseUrl is http:\/\/localhost:8080: .*set "baseUrl".*\n$/)
    const links = [...said.matchAll(/^ {2}(http\S+)$/gm)].map(([, link = '']) => link)
    const paths = links.map((link) => new URL(link).pathname.replace(/[A-Z0-9]{12}.*/, ''))
    expect(paths.slice(0, wanted.length)).toEqual(wanted)
    for (const link of links)
      expect({ link, status: (await fetch(link)).status }).toEqual({ link, status: 200 })
  } finally {
    child.kill()
  }
})
