/**
 * Simulated years of an invented company of 14 funds: which wrong nights are seen, and whether right ones are refused or
 * told of without need. It measures judgement, not time, but for the share of the guards in a full build.
 *
 * Options: --years 3 --wrong 12 --all --nights 250 --seed 1 --classes 2000 --funds 100
 * `--all`: each of the forty kinds on one night, too, none after another. `--classes 0` and `--funds 0` leave out the
 * nights of many share classes, and the profile. What is said of each night goes to stderr.
 */

import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { mustRun, repository } from '../support/product.ts'
import { bench, type Table } from './bench.ts'
import { judgeClasses } from './year/classes.ts'
import { costOfGuards } from './year/cost.ts'
import { type Fate, type JudgedNight, simulateYear, type SimulatedYear, tryKinds } from './year/nights.ts'
import { wrongNights } from './year/wrong-nights.ts'

const options = {
  years: { type: 'string', default: '3' },
  wrong: { type: 'string', default: '12' },
  all: { type: 'boolean', default: false },
  nights: { type: 'string', default: '250' },
  seed: { type: 'string', default: '1' },
  /** Share classes of the guards alone. */
  classes: { type: 'string', default: '2000' },
  /** Of the full build. */
  funds: { type: 'string', default: '100' },
} as const

/** An ordinary one, in spring. */
const nightOfKinds = 100

const say = (line: string) => process.stderr.write(`${line}\n`)

export const run = bench(options, async (folder, values) => {
  const { years, wrong, all, nights, seed, classes, funds } = values
  const simulated: SimulatedYear[] = []
  for (let index = 0; index < Number(years); index++) {
    const own = join(folder, `year-${index}`)
    mkdirSync(own)
    const year = await simulateYear(own, {
      seed: Number(seed) + index,
      wrong: Number(wrong),
      nights: [0, Number(nights)],
    })
    tell(year)
    simulated.push(year)
  }
  const tried: JudgedNight[] = []
  if (all) {
    const own = join(folder, 'kinds')
    mkdirSync(own)
    tried.push(...(await tryKinds(own, Number(seed), nightOfKinds)))
    tell({ wrong: tried, right: [] })
  }
  const tables = simulated.length === 0 ? [] : [tableOfNights(simulated, `${nights} nights a year`)]
  tables.push(tableOfKinds([...simulated.flatMap((year) => year.wrong), ...tried]))
  tables.push(await tableOfHistory(folder))
  if (Number(classes) > 0) tables.push(await tableOfClasses(Number(classes), Number(seed)))
  if (Number(funds) > 0) tables.push(await tableOfCost(folder, Number(funds)))
  return tables
})

/** Everything that a person has to judge. */
function tell({ wrong, right }: SimulatedYear): void {
  for (const { day, wrong: kind, fate, said } of wrong)
    say(
      `${day} ${fate}: ${kind.title} (${kind.seenBy ?? 'nobody can see it'})${said.map((line) => `\n    ${line}`).join('')}`,
    )
  for (const { day, refused, isCorrection, notices } of right) {
    const what = isCorrection ? 'correction refused' : 'refused by mistake'
    for (const line of refused) say(`${day} ${what}: ${line}`)
    for (const { text, verdict } of notices) if (verdict !== 'right') say(`${day} ${verdict} notice: ${text}`)
  }
}

function tableOfNights(years: readonly SimulatedYear[], about: string): Table {
  const rows = years.map(({ wrong, right }, index) => {
    const notices = right.flatMap((night) => night.notices)
    const verdicts = (verdict: string) => notices.filter((notice) => notice.verdict === verdict).length
    const refused = right.filter((night) => night.refused.length > 0)
    const measures = {
      'wrong nights': wrong.length,
      seen: wrong.filter(({ fate }) => fate !== 'missed').length,
      'refused by mistake': refused.filter(({ isCorrection }) => !isCorrection).length,
      'corrections refused': refused.filter(({ isCorrection }) => isCorrection).length,
      'right notices': verdicts('right'),
      'false notices': verdicts('false'),
      'repeated notices': verdicts('repeated'),
    }
    return [`year ${index + 1}`, measures] as const
  })
  const goal = { 'refused by mistake': '0', 'false notices': '0', 'repeated notices': '0' }
  const goals = rows.map(([name, measures]) => {
    const least = Math.floor((measures['wrong nights'] * 11) / 12)
    return [name, { ...goal, seen: `at least ${least}` }] as const
  })
  return { name: 'simulated years', about, rows: Object.fromEntries(rows), goals: Object.fromEntries(goals) }
}

function tableOfKinds(judged: readonly JudgedNight[]): Table {
  const rows = wrongNights.flatMap(({ title }) => {
    const own = judged.filter(({ wrong }) => wrong.title === title)
    const of = (fate: Fate) => own.filter((night) => night.fate === fate).length
    return own.length === 0
      ? []
      : [[title, { refused: of('refused'), told: of('told'), missed: of('missed') }] as const]
  })
  const missed = rows.filter(([, measures]) => measures.missed > 0).length
  return {
    name: 'kinds of wrong nights',
    about: `${rows.length} of ${wrongNights.length} kinds were drawn, ${missed} were missed at least once`,
    rows: Object.fromEntries(rows),
  }
}

/** The real NAVs of `data/captor`, 2017 to 2020, with the crash of March 2020. */
async function tableOfHistory(folder: string): Promise<Table> {
  const db = join(folder, 'captor.sqlite')
  await mustRun(['init', '--db', db])
  const filled = new Database(db)
  filled.pragma('foreign_keys = OFF')
  filled.exec(readFileSync(join(repository, 'data/captor/captor.sql'), 'utf8'))
  filled.close()
  const replay = async (file: string) => {
    const words = ['check', '--db', file, '--as-of', '2020-06-29', '--replay', '1000', '--json']
    const { nights } = JSON.parse(await mustRun(words)) as Replayed
    return nights
  }
  const asDelivered = await replay(db)
  // The year of the fund's inception has no performance: the sample has one.
  const mended = join(folder, 'captor-mended.sqlite')
  copyFileSync(db, mended)
  const edited = new Database(mended)
  edited.exec("UPDATE price SET performance = NULL WHERE date < '2018'")
  edited.close()
  const right = await replay(mended)
  for (const { day, objections } of right)
    for (const { message } of objections) say(`captor ${day} refused: ${message}`)
  const refusedIn = (nights: Replayed['nights']) =>
    nights.filter(({ objections }) => objections.length > 0).length
  return {
    name: 'a real history',
    about: `${right.length} days of prices of data/captor, each as if it were new`,
    rows: {
      'as delivered': { 'nights refused': refusedIn(asDelivered) },
      'without the performance of the year of inception': { 'nights refused': refusedIn(right) },
    },
    goals: { 'without the performance of the year of inception': { 'nights refused': '0' } },
  }
}

interface Replayed {
  readonly nights: readonly {
    readonly day: string
    readonly objections: readonly { readonly message: string }[]
  }[]
}

async function tableOfClasses(count: number, seed: number): Promise<Table> {
  const nights = await judgeClasses(count, seed)
  for (const { day, said } of nights) for (const line of said) say(`${day} of many classes: ${line}`)
  const row = (some: typeof nights) => {
    const refused = some.filter(({ said }) => said.some((line) => !line.startsWith('warning')))
    // A market day is news.
    const warned = some.filter(({ said }) => said.some((line) => /^warning(?!.*: a market day$)/.test(line)))
    return { nights: some.length, refused: refused.length, 'with a false warning': warned.length }
  }
  return {
    name: 'nights of many share classes',
    about: `${count.toLocaleString('en')} classes, half of them of one portfolio`,
    rows: {
      'of a crash': row(nights.filter(({ isOfCrash }) => isOfCrash)),
      others: row(nights.filter(({ isOfCrash }) => !isOfCrash)),
    },
    goals: Object.fromEntries(
      ['of a crash', 'others'].map((name) => [name, { refused: '0', 'with a false warning': '0' }]),
    ),
  }
}

async function tableOfCost(folder: string, funds: number): Promise<Table> {
  const years = 10
  const shares = await costOfGuards(folder, funds, years)
  return {
    name: 'what the guards cost a build',
    about: `${funds} funds, ${years} years, with pages and downloads: samples of a profile of all threads of a full build`,
    rows: Object.fromEntries(
      Object.entries(shares).map(([part, share]) => [part, { '% of the CPU time': share }]),
    ),
    goals: { 'all guards': { '% of the CPU time': 'at most 3' } },
  }
}
