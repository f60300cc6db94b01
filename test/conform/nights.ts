/**
 * Two snapshots of one small fund family that has every case; nothing that holds a fund's data is the same in both. And clients that
 * send one request after the other during a flip, and tell which snapshot each answer is from.
 */
import { copyFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { openOracle, type Oracle } from '../../src/extensions/conform/oracle/oracle.ts'
import { fundPaths } from '../../src/extensions/conform/requests.ts'
import type { Night } from '../edge/runtime/deployments.ts'
import { editDatabase } from '../support/database.ts'
import { insertOddFunds, oddFunds } from '../support/odd-funds.ts'
import { docsUrl, forced, makeTempFolder, mustRun } from '../support/product.ts'
import { headerOf, rawRequest } from '../support/request.ts'
import { sample } from '../support/rounds.ts'

export type Nights = Awaited<ReturnType<typeof conformNights>>

/** Texts of another length, so that nothing cut at the wrong place passes. */
const everythingChanges = `
  UPDATE fund SET name = name || ' (second snapshot)';
  UPDATE price SET net_asset_value = '12345.678', change = '-0.00001';
  UPDATE performance_year SET percent = percent + 1;
  UPDATE structure_item SET percent = percent + 1;
  UPDATE key_figure SET value = value || ' (second snapshot)';
  UPDATE legal_point SET value = value + 1;
  UPDATE launch_point SET value = value + 1;
  UPDATE asset_allocation SET percent = percent + 1;
  UPDATE profile SET fund_assets = '1.00';
  UPDATE emt SET entry_costs = 0.25;
`

export async function conformNights() {
  const folder = makeTempFolder()
  const nightOf = (name: string, asOf: string): Night => {
    return { out: folder.file(name), db: folder.file(`${name}.sqlite`), asOf, docsUrl }
  }
  // The second is of the day after, on which a fund turns a year old.
  const first = nightOf('first', oddFunds.asOf)
  const second = nightOf('second', '2025-03-01')
  const family = '--funds 1 --years 4 --until 2025-02-27 --seed 11'
  await mustRun(['init', '--demo', '--db', first.db, ...family.split(' ')])
  insertOddFunds(first.db)
  copyFileSync(first.db, second.db)
  editDatabase(second.db, everythingChanges)
  // The first has pages; the second has none.
  for (const [{ out, db, asOf }, hasPages] of [
    [first, true],
    [second, false],
  ] as const) {
    const args = ['build', '--db', db, '--out', out, '--as-of', asOf, '--jobs', '2', '--quiet', ...forced]
    await mustRun(args, { env: { FUNDPRESS_PAGES: String(hasPages) } })
  }
  return { first, second, release: folder.remove }
}

/** Something of every kind: stored answers, refusals, ranges over one window and many, all funds. */
function targetsOf(oracle: Oracle): string[] {
  const paths = oracle.isins().flatMap((isin) => {
    const days = oracle.priceDays(isin)
    const { first, last } = days ?? { first: '2024-01-01', last: '2024-12-31' }
    const year = Number(last.slice(0, 4))
    return [
      ...fundPaths(isin)
        .map(({ target }) => target)
        .filter((path) => !/structure-(?!countries|top_values\/)/.test(path)),
      `/api/v1/prices-historic/${isin}/${first}/${last}/`,
      `/api/v1/prices-historic/${isin}/${year - 2}-06-15/${year}-01-31/`,
      `/api/v1/prices-historic/${isin}/${year - 1}-01-01/${year - 1}-12-31/`,
      `/api/v1/prices-historic/${isin}/1970-01-01/1970-01-01/`,
    ]
  })
  const all = ['/api/v1/prices-current-all/', '/api/v1/performance-years-all/', '/nothing/', ...paths]
  return all.flatMap((path) => [`${path}?format=json`, `${path}?format=xml`])
}

/** What must be answered to each target in each of the two snapshots: status and body. */
export function answersOf({ first, second }: Nights) {
  const oracles = [openOracle(first), openOracle(second)] as const
  const answer = (oracle: Oracle, target: string): string => {
    const { status, body } = oracle.answer({ target })
    return `${status} ${body}`
  }
  const both = (target: string) => [answer(oracles[0], target), answer(oracles[1], target)] as const
  // Not every second or fourth: formats alternate.
  const all = new Map(sample(targetsOf(oracles[0]), { least: 45 }).map((target) => [target, both(target)]))
  oracles.forEach((oracle) => oracle.close())
  return all
}

interface Seen {
  first: number
  second: number
  readonly wrong: string[]
}

/**
 * Asks again and again until the work is done, and for everything at least once; or for everything just once.
 * @returns how many answers were from which snapshot (those that are equal in both count for neither), and answers from
 * neither snapshot, failures among them
 */
export async function loadDuring(
  base: string,
  answers: ReturnType<typeof answersOf>,
  work: ((seen: Seen) => Promise<void>) | 'once each',
) {
  const targets = [...answers.keys()]
  let isOver = work === 'once each'
  const seen: Seen = { first: 0, second: 0, wrong: [] }
  const tags = new Map<string, string>()
  const askFor = async (target: string): Promise<void> => {
    let answer = await rawRequest(base, { target })
    // On a slow machine the store can take longer than an edge waits. It says so, and answers later.
    for (let times = 1; answer.status === 503 && times < 4; times++) {
      await setTimeout(500)
      answer = await rawRequest(base, { target })
    }
    const text = `${answer.status} ${answer.body.toString()}`
    const [one, other] = answers.get(target) ?? []
    if (text !== one && text !== other) throw new Error(`${target}: ${text.slice(0, 300)}`)
    if (one === other) return
    const snapshot = text === one ? 'first' : 'second'
    seen[snapshot]++
    // An ETag must never stand for the answers of both snapshots.
    const etag = headerOf(answer, 'etag')
    const tag = `${target} ${etag ?? ''}`
    if (etag !== undefined && (tags.get(tag) ?? snapshot) !== snapshot)
      throw new Error(`${target}: the ETag ${etag} stands for both snapshots`)
    tags.set(tag, snapshot)
  }

  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let turn = client; turn < targets.length || !isOver; turn += 8) {
      await askFor(targets[turn % targets.length] ?? '').catch((error: unknown) => {
        if (seen.wrong.length < 5) seen.wrong.push(String(error))
      })
      // A hundred requests a second are enough: the snapshot that is made live needs the machine, too.
      if (!isOver) await setTimeout(40)
    }
  })
  if (work !== 'once each') await work(seen).finally(() => (isOver = true))
  await Promise.all(clients)
  return seen
}
