/** Runs the nights of an invented year, some of them wrong, and judges what is said of each. */

import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { run } from '../../cli/run.ts'
import { randomNumbers } from '../../guards/invented-company.ts'
import { makeDatabase } from '../../support/database.ts'
import { docsUrl } from '../../support/product.ts'
import { dayBeforeNights, inventYear } from './company.ts'
import { openJudge, type Verdict } from './judge.ts'
import { type WrongNight, wrongNights } from './wrong-nights.ts'

/** What becomes of a wrong night. `told`: it is live, and a notice tells what is wrong. */
export type Fate = 'refused' | 'told' | 'missed'

export interface JudgedNight {
  readonly day: string
  readonly wrong: WrongNight
  readonly fate: Fate
  /** What was said of it, and not of the same night with right data. */
  readonly said: readonly string[]
}

/** What was said of a night whose data were right. */
export interface RightNight {
  readonly day: string
  /** Of a refusal; empty if it went live. */
  readonly refused: readonly string[]
  /** It corrects a wrong night that is live. */
  readonly isCorrection: boolean
  readonly notices: readonly { readonly text: string; readonly verdict: Verdict }[]
}

export interface SimulatedYear {
  readonly wrong: readonly JudgedNight[]
  readonly right: readonly RightNight[]
}

interface Notice {
  readonly event: string
  readonly reason?: string | null
  readonly news: readonly string[]
  readonly details: readonly string[]
}

/** A line of the log of a night. */
interface Logged {
  readonly event: string
  readonly objections?: readonly {
    readonly guard: string
    readonly subject: string | null
    readonly message: string
  }[]
}

interface Outcome {
  readonly code: number | null
  /** What a refusal objects to, and lines of all other notices. */
  readonly said: readonly string[]
  /** The value of `--allow` that a refusal tells. */
  readonly allow: string | null
}

export interface YearOptions {
  readonly seed: number
  /** How many wrong nights are drawn. */
  readonly wrong: number
  /** The nights to be run, of those of a year. */
  readonly nights?: readonly [from: number, to: number]
  /** Titles: only these kinds are drawn. */
  readonly kinds?: readonly string[]
}

/** @param folder for databases and buckets */
export async function simulateYear(folder: string, options: YearOptions): Promise<SimulatedYear> {
  const { seed, wrong: count, nights: [from, to] = [0, Infinity], kinds } = options
  const company = inventYear(seed)
  const random = randomNumbers(seed * 104_729 + 5)
  for (let index = 0; index < 20; index++) random()
  const nights = company.nights.slice(0, to)
  const some = wrongNights.filter(({ title }) => kinds?.includes(title) ?? true)
  const draw = drawn(nights, Math.max(20, from + 3), shuffled(some, random).slice(0, count), random)
  const judge = openJudge(company.corrections)
  const press = openPress(folder)
  press.fill((db) => {
    company.fill(db)
    for (const day of nights.slice(0, from)) company.load(db, day)
  })
  let before = nights[from - 1] ?? dayBeforeNights
  // What the first night says of a whole history is another matter.
  await press.complete()
  await press.night(before)
  const wrong: JudgedNight[] = []
  const right: RightNight[] = []
  let isCorrection = false
  for (const day of nights.slice(from)) {
    press.keepYesterday()
    press.change((db) => company.load(db, day))
    await press.complete()
    const kind = draw.get(day)
    if (kind !== undefined) {
      const expected = await press.aside(day)
      await press.spoil(kind, (db) => kind.spoil({ db, day, before, random }))
      const outcome = await press.night(day, { db: 'wrong.sqlite', config: kind.config ?? {} })
      wrong.push(judged(day, kind, outcome, expected))
      before = day
      if (outcome.code === 0) {
        // What it tells is known, and the next night corrects it.
        judge.skip(expected.said, day)
        isCorrection = true
        continue
      }
    }
    const first = await press.night(day)
    const last = first.code === 0 ? first : await press.night(day, { allow: first.allow ?? '' })
    if (last.code !== 0) throw new Error(`${day} cannot be allowed: ${last.said.join('; ')}`)
    const refused = first === last ? [] : first.said
    right.push({ day, refused, isCorrection, notices: isCorrection ? [] : judge.judge(last.said, day) })
    isCorrection = false
    before = day
  }
  return { wrong, right }
}

function judged(day: string, wrong: WrongNight, outcome: Outcome, expected: Outcome): JudgedNight {
  const said = outcome.said.filter((line) => !expected.said.includes(line))
  const fate = said.length === 0 ? 'missed' : outcome.code === 0 ? 'told' : 'refused'
  return { day, wrong, fate, said }
}

/** Each kind of wrong nights on the same night of a year, none after another. @param index of the night */
export async function tryKinds(folder: string, seed: number, index: number): Promise<readonly JudgedNight[]> {
  const company = inventYear(seed)
  const random = randomNumbers(seed)
  const press = openPress(folder)
  const day = company.nights[index] ?? ''
  const before = company.nights[index - 1] ?? ''
  press.fill((db) => {
    company.fill(db)
    for (const each of company.nights.slice(0, index)) company.load(db, each)
  })
  await press.complete()
  await press.night(before)
  press.keepYesterday()
  press.change((db) => company.load(db, day))
  await press.complete()
  const expected = await press.aside(day)
  const all: JudgedNight[] = []
  for (const wrong of wrongNights) {
    await press.spoil(wrong, (db) => wrong.spoil({ db, day, before, random }))
    const outcome = await press.aside(day, { db: 'wrong.sqlite', config: wrong.config ?? {} })
    all.push(judged(day, wrong, outcome, expected))
  }
  return all
}

/** Spread over the nights, with right ones between: the night after a wrong one may correct it. */
function drawn(
  nights: readonly string[],
  first: number,
  kinds: readonly WrongNight[],
  random: () => number,
): ReadonlyMap<string, WrongNight> {
  const part = (nights.length - first) / kinds.length
  return new Map(
    kinds.map((kind, index) => [nights[Math.floor(first + part * (index + 0.7 * random()))] ?? '', kind]),
  )
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item)
}

/** The product through its front door: a database, a bucket that is a folder, and a target of notices. */
function openPress(folder: string) {
  const file = (name: string) => join(folder, name)
  const told = file('notices.jsonl')
  const config = {
    baseUrl: docsUrl,
    pages: false,
    downloads: false,
    requireComplete: true,
    bucket: { graceSeconds: 0 },
    notify: [{ type: 'command', command: `cat >>'${told}' && echo >>'${told}'` }],
  }
  const into = (bucket: string) => ['--bucket', pathToFileURL(file(bucket)).href, '--out', `out-${bucket}`]
  const fundpress = (words: readonly string[]) => run(words, { cwd: folder })
  const complete = async (db = 'funds.sqlite') => {
    const { code, stderr } = await fundpress(['import', '--complete', '--db', db, '--no-backup'])
    if (code !== 0) throw new Error(stderr)
  }

  async function night(
    day: string,
    { db = 'funds.sqlite', bucket = 'bucket', config: own = {}, allow = '' }: Partial<NightOptions> = {},
  ): Promise<Outcome> {
    writeFileSync(file('night.json'), JSON.stringify({ ...config, ...own }))
    rmSync(told, { force: true })
    const words = ['nightly', '--config', 'night.json', '--db', db, '--as-of', day, ...into(bucket)]
    const ways = ['--since', 'other', '--sample', '1', '--json']
    const allowing = allow === '' ? [] : ['--allow', allow, '--reason', 'it is right']
    const { code, stdout, stderr } = await fundpress([...words, ...ways, ...allowing])
    rmSync(file(`out-${bucket}`), { recursive: true, force: true })
    const notices = existsSync(told) ? (jsonLines(readFileSync(told, 'utf8')) as readonly Notice[]) : []
    // A refusal that repeats the one before is told once, but logged each time.
    const logged = jsonLines(stdout) as readonly Logged[]
    const said = [...logged.flatMap(refusalsOf), ...notices.flatMap(linesOf)]
    return {
      code,
      said: code !== 0 && said.length === 0 ? [stderr.trim()] : said,
      allow: /--allow (\S+) --reason "…"/.exec(stderr)?.[1] ?? null,
    }
  }

  return {
    night,
    complete,
    fill: (fill: (db: Database.Database) => void) => makeDatabase(file('funds.sqlite'), (_, db) => fill(db)),
    change: (change: (db: Database.Database) => void) => changeFile(file('funds.sqlite'), change),
    keepYesterday: () => copyFileSync(file('funds.sqlite'), file('yesterday.sqlite')),
    /** A night on a copy of the bucket; the right one unless another is given. */
    aside: async (day: string, options: Partial<NightOptions> = {}): Promise<Outcome> => {
      rmSync(file('aside'), { recursive: true, force: true })
      // By links, since an object of a bucket is never changed, but replaced.
      execFileSync('cp', ['--recursive', '--link', file('bucket'), file('aside')])
      return night(day, { ...options, bucket: 'aside' })
    },
    spoil: async ({ load }: WrongNight, change: (db: Database.Database) => void): Promise<void> => {
      copyFileSync(file(load === 'none' ? 'yesterday.sqlite' : 'funds.sqlite'), file('wrong.sqlite'))
      if (load === 'none') return
      changeFile(file('wrong.sqlite'), change)
      if (load === undefined) await complete('wrong.sqlite')
    },
  }
}

interface NightOptions {
  readonly db: string
  readonly bucket: string
  readonly config: Readonly<Record<string, unknown>>
  readonly allow: string
}

function changeFile(file: string, change: (db: Database.Database) => void): void {
  const db = new Database(file, { fileMustExist: true })
  db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON')
  db.transaction(() => change(db))()
  db.close()
}

const jsonLines = (text: string): readonly unknown[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]))

const refusalsOf = ({ event, objections = [] }: Logged): readonly string[] =>
  event !== 'refused'
    ? []
    : objections.map(
        ({ guard, subject, message }) =>
          `refused: ${guard}${subject === null ? '' : `:${subject}`}: ${message}`,
      )

function linesOf({ event, reason, news, details }: Notice): readonly string[] {
  // What an operator has allowed is no news to anybody, and the log has what was refused.
  if (event === 'forced' || event === 'refused') return []
  const told = typeof reason === 'string' ? [reason] : []
  return [...told, ...news, ...details].map((line) => `${event}: ${line}`)
}
