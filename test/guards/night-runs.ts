/** Nights of one fund family on a bucket, each from a database of its own, and the warnings and news of each. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { run as runCommand } from '../cli/run.ts'
import { editDatabase, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { docsUrl, tempFolder, type Run } from '../support/product.ts'
import { isComplete } from '../support/rounds.ts'

export const tonight = '2024-05-06'
export const lastNight = '2024-05-03'
/** Business days in Germany from March 2024 until tonight. */
export const days = Array.from({ length: 64 }, (_, index) =>
  new Date(Date.UTC(2024, 2, 4 + index)).toISOString().slice(0, 10),
).filter(
  (day) =>
    ![0, 6].includes(new Date(day).getUTCDay()) && !['2024-03-29', '2024-04-01', '2024-05-01'].includes(day),
)

export const amount = (value: number) => value.toFixed(2)
/** The prices of a NAV, and its changes from the NAV before. */
export const prices = (nav: number, before: number) => ({
  net_asset_value: amount(nav),
  repurchase_price: amount(nav),
  issue_price: amount(nav * 1.05),
  change: amount(nav - before),
  change_percent: amount((nav / before - 1) * 100),
  performance: amount((nav / navOfYearEnd - 1) * 100),
})
/** NAVs go up and down, so that none stays the same, and no two funds move alike. */
export const navOf = (index: number, isin = isinOf(1)) =>
  index % 2 === 0 ? 100 : 100.48 + numberOf(isin) / 50
const numberOf = (isin: string) => Number(isin.slice(2, -1))

/** The databases lack the NAV of the end of 2023. */
const navOfYearEnd = 97

export const nameOf = (isin: string) => `Fund ${isin}`

/** Funds with a row in each table, five countries, and a price on each day until tonight. */
function makeFunds(file: string, count: number): void {
  makeDatabase(file, (insert) => {
    for (let number = 1; number <= count; number++) {
      const isin = isinOf(number)
      const first = { ...prices(navOf(0, isin), navOf(0, isin)), date: days[0] ?? '' }
      insertGood(insert, isin, { fund: { name: nameOf(isin) }, price: first })
      for (const position of [4, 5, 6, 7])
        insert('structure_item', { isin, ...goodRows['structure_item'], position, percent: 0.1 })
      for (const [index, date] of days.entries())
        if (index > 0)
          insert('price', {
            isin,
            ...goodRows['price'],
            date,
            ...prices(navOf(index, isin), navOf(index - 1, isin)),
          })
    }
  })
}

export interface LiveNight {
  readonly asOf: string
  /** How many funds there are; 11 unless given. */
  readonly count?: number
  /** What the database has instead, as SQL. */
  readonly edit?: string
  readonly flags?: string
  readonly config?: object
}

/**
 * The expected end of a night. `live`: it goes live without warnings and news; an expression: it does, and a warning or the news of
 * its summary say this. A list: these guards refuse it, as `--allow` names them. A number: another exit code.
 */
type Verdict = 'live' | RegExp | readonly string[] | number

/** A row of a table: what tonight's database has instead, as SQL, and what becomes of it. */
export type Night<Live extends string> = readonly [
  title: string,
  edit: string,
  verdict: Verdict,
  surroundings?: {
    /** What is live; `usual` unless given. */
    readonly live?: Live
    readonly flags?: string
    readonly config?: object
  },
]

export const limits = (expectations: object) => ({ config: { expectations } })
export const allow = (guards: string) => ({ flags: `--allow ${guards} --reason "said so"` })
const allowedBy = (stderr: string) => /--allow (\S+) --reason "…"/.exec(stderr)?.[1] ?? ''

/**
 * Tests each night of a table; a refused one leaves `live.json` byte for byte as it was. To be called once in a file of tests.
 * @param lives nights that were published one after the other, by the name of all together
 * @param shortly titles: CI has all nights, `npm test` these
 */
export function testNights<Live extends string>(
  nights: readonly Night<Live | 'usual'>[],
  lives: Readonly<Record<Live | 'usual', readonly LiveNight[]>>,
  shortly: ReadonlySet<string>,
) {
  const { goBack, liveBytes, publishNight, toldOf } = useNightBucket()
  const chosen = nights.filter(([title]) => isComplete || shortly.has(title))

  it.each(chosen.map((night) => [night[0], night] as const))('%s', async (_, night) => {
    const [, edit, verdict, { live = 'usual', flags = '', config } = {}] = night
    await goBack(live, lives[live])
    const before = liveBytes()
    const run = await publishNight({ asOf: tonight, edit, flags, ...(config && { config }) })
    const said = run.stderr + run.stdout
    const refused = typeof verdict === 'object' && !(verdict instanceof RegExp) ? verdict : []
    // Two ISINs of one guard have a comma, too.
    const allowing = allowedBy(run.stderr).split(/,(?=[a-z])/)
    expect(allowing.filter(Boolean).sort(), said).toEqual([...refused].sort())
    expect(run.code, said).toBe(typeof verdict === 'number' ? verdict : refused.length > 0 ? 3 : 0)
    if (run.code === 1) expect(run.stderr).toMatch(/ has 1 error: .* \(table \w+\)/)
    if (run.code === 0) expect(liveBytes()).not.toBe(before)
    else expect(liveBytes()).toBe(before)
    if (verdict instanceof RegExp) expect(toldOf(run)).toMatch(verdict)
    else if (verdict === 'live') expect(toldOf(run)).toBe('')
  })
  return { goBack, publishNight, allowedBy }
}

/** By links, since an object of a bucket is never changed, but replaced. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['--recursive', '--link', from, to])
}

function useNightBucket() {
  const folder = tempFolder()
  const bucket = folder.file('funds')
  const live = join(bucket, 'live.json')
  /** Copies of the bucket as it is before a night, by what is live. */
  const kept = (name: string) => folder.file(`kept/${name}`)

  beforeAll(() => {
    mkdirSync(folder.file('kept'))
    for (const count of [11, 3]) makeFunds(folder.file(`${count}.sqlite`), count)
  })
  afterEach(() => rmSync(folder.file('out'), { recursive: true, force: true }))

  function publishNight({ asOf, edit = '', count = 11, flags = '', config = {} }: LiveNight): Promise<Run> {
    const db = folder.file('night.sqlite')
    copyFileSync(folder.file(`${count}.sqlite`), db)
    editDatabase(db, `DELETE FROM price WHERE date > '${asOf}';${edit}`)
    writeFileSync(
      folder.file('night.json'),
      JSON.stringify({ baseUrl: docsUrl, pages: false, downloads: false, ...config }),
    )
    for (const name of ['out', 'night.md']) rmSync(folder.file(name), { recursive: true, force: true })
    const words = ['nightly', '--config', 'night.json', '--db', 'night.sqlite', '--out', 'out']
    const into = ['--bucket', pathToFileURL(bucket).href]
    const more = (flags.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
    const ways = ['--since', 'other', '--sample', '1', '--json', '--summary', 'night.md']
    return runCommand([...words, ...into, '--as-of', asOf, ...ways, ...more], { cwd: folder.path })
  }

  return {
    publishNight,
    liveBytes: () => (existsSync(live) ? readFileSync(live, 'utf8') : undefined),
    /** Brings the bucket to what is live before a night. @param nights those that were published, by the name of all together */
    goBack: async (name: string, nights: readonly LiveNight[]): Promise<void> => {
      rmSync(bucket, { recursive: true, force: true })
      if (existsSync(kept(name))) {
        copyFolder(kept(name), bucket)
        return
      }
      for (const night of nights) {
        const { code, stderr, stdout } = await publishNight(night)
        expect(code, stderr + stdout).toBe(0)
      }
      if (nights.length > 0) copyFolder(bucket, kept(name))
    },
    /** The warnings of the last night, and the news of its summary. */
    toldOf: ({ stdout }: Run): string => {
      const warnings = stdout.split('\n').filter((line) => line.includes('"event":"warning"'))
      const summary = readFileSync(folder.file('night.md'), 'utf8')
      const [, news = ''] = /^### News\n\n```text\n([^]*?)\n```/m.exec(summary) ?? []
      return [...warnings.filter((line) => !line.includes('everything is rendered')), news].join('\n').trim()
    },
  }
}
