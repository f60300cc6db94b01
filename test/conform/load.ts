/** Readers that ask one thing after the other while nights are exchanged, and say which night each answer is of. */
import { setTimeout } from 'node:timers/promises'
import type { Night } from '../edge/runtime/deployments.ts'
import { headerOf, rawRequest } from '../support/request.ts'
import { openOracle, type Oracle } from '../../src/conform/oracle/oracle.ts'
import { fundPaths } from '../../src/conform/requests.ts'

export interface Seen {
  /** How many answers were of which night; those that are alike on both count for neither. */
  readonly first: number
  readonly second: number
  /** Answers that are of neither night, failures among them. */
  readonly wrong: readonly string[]
}

/** Something of every kind: stored answers, refusals, ranges over one window and many, all funds. */
export function targetsOf({ db, asOf, docsUrl }: Night): string[] {
  const oracle = openOracle({ db, asOf, docsUrl })
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
  oracle.close()
  const all = ['/api/v1/prices-current-all/', '/api/v1/performance-years-all/', '/nothing/', ...paths]
  return all.flatMap((path) => [`${path}?format=json`, `${path}?format=xml`])
}

/** What must be answered to each target on each of two nights: status and body. */
export type Answers = ReadonlyMap<string, readonly [first: string, second: string]>

export function answersOf(
  { first, second }: { readonly first: Night; readonly second: Night },
  targets: readonly string[],
): Answers {
  const [one, other] = [openOracle(first), openOracle(second)]
  const answer = (oracle: Oracle, target: string): string => {
    const { status, body } = oracle.answer({ target })
    return `${status} ${body}`
  }
  const all = targets.map((target) => [target, [answer(one, target), answer(other, target)]] as const)
  one.close()
  other.close()
  return new Map(all)
}

/** Asks again and again until the work is done, and for everything at least once; or for everything just once. */
export async function loadDuring(
  base: string,
  answers: Answers,
  work: (() => Promise<void>) | 'once each',
): Promise<Seen> {
  const targets = [...answers.keys()]
  let isOver = work === 'once each'
  const seen = { first: 0, second: 0, wrong: [] as string[] }
  const tags = new Map<string, string>()
  const askFor = async (target: string): Promise<void> => {
    const answer = await rawRequest(base, { target })
    const text = `${answer.status} ${answer.body.toString()}`
    const [one, other] = answers.get(target) ?? []
    if (text !== one && text !== other) {
      if (seen.wrong.length < 5) seen.wrong.push(`${target}: ${text.slice(0, 300)}`)
    } else if (one !== other) {
      if (text === one) seen.first++
      else seen.second++
      seen.wrong.push(...strangeTag(target, headerOf(answer, 'etag'), text === one))
    }
  }
  /** An ETag must never stand for the answers of both nights. */
  const strangeTag = (target: string, etag: string | undefined, isFirst: boolean): string[] => {
    if (etag === undefined) return []
    const key = `${target} ${etag}`
    const night = isFirst ? 'first' : 'second'
    const known = tags.get(key) ?? night
    tags.set(key, known)
    return known === night ? [] : [`${target}: the ETag ${etag} stands for both nights`]
  }

  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let turn = client; turn < targets.length || !isOver; turn += 8) {
      await askFor(targets[turn % targets.length] ?? '').catch((error: unknown) => {
        if (seen.wrong.length < 5) seen.wrong.push(String(error))
      })
      // Hundreds of requests a second are enough: the night that is made live needs the machine, too.
      if (!isOver) await setTimeout(10)
    }
  })
  if (work !== 'once each') await work().finally(() => (isOver = true))
  await Promise.all(clients)
  return seen
}
