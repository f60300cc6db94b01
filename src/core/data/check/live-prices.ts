/** Live prices, read from the documents of the live snapshot. The documents are not trusted: anyone may have changed them. */

import { routeTable } from '../../api/derive/route-table.ts'
import { pricesCurrentAll, pricesHistoric } from '../../api/endpoints/prices.ts'
import { storedValues } from '../../api/contract/prices.ts'
import { documentKey, errorKey, windowKey, windowListKey } from '../../api/routes/keys.ts'
import type { PriceTexts } from '../../guards/figures.ts'
import { messageOf } from '../../system/message.ts'
import { schemaTables } from '../model/schema.ts'
import { rowColumns } from '../read/fund-reader.ts'
import { actionsKey, parseActions } from './live-actions.ts'

/** Reads an object of the snapshot that is live, by its key: null if there is none. */
export type LiveReader = (key: string) => Promise<Buffer | null>

const { routes } = routeTable([pricesCurrentAll, pricesHistoric], '')
const [currentAll, historic] = routes as [(typeof routes)[number], (typeof routes)[number]]

/** A document that is live is not as a build writes it. */
export class DamagedDocument extends Error {
  override readonly name = 'DamagedDocument'
}

function missing(key: string): never {
  throw new DamagedDocument(`${key} should be live and is missing`)
}

/** @throws {DamagedDocument} that names the key */
export function livePrices(read: LiveReader) {
  const parsed = async <T>(key: string, parse: (json: never) => T): Promise<T | null> => {
    const body = await read(key)
    try {
      return body === null ? null : parse(JSON.parse(body.toString()) as never)
    } catch (error) {
      throw new DamagedDocument(`${key}, which is live, is damaged: ${messageOf(error)}`, { cause: error })
    }
  }
  const window = (isin: string, year: string | number) =>
    parsed(windowKey(historic, { isin }, year, 'json'), ({ prices, currency }: LiveWindow) => ({
      currency: textOf(currency),
      prices: prices.map(rowOf),
    }))
  /** Currency and newest price of each fund with prices. */
  const funds = async () => {
    const key = documentKey(currentAll, {}, 'de', 'json')
    const found = await parsed(key, ({ funds }: LiveFunds) => {
      const all = Object.entries(funds).map(([isin, { currency, prices }]) => {
        return [isin, { currency: textOf(currency), newest: rowOf(prices) }] as const
      })
      return new Map(all)
    })
    return found ?? missing(key)
  }
  return {
    funds,
    /** The corporate actions of each fund that has some; null if nobody knows them. */
    actions: async () => parsed(actionsKey, parseActions),
    /** The prices of a fund in a year; null without the document. */
    window,
    /** All of a fund's prices and their currency; null if the fund has none. */
    history: async (isin: string) => {
      const key = windowListKey(historic, { isin })
      const list = await parsed(key, ({ windows }: LiveWindows) => windows.map(({ year }) => Number(year)))
      if (list === null) {
        // Its prices are not lost with the list. A shard has no list of all funds.
        const isWithout = (await read(errorKey(historic, { isin }, 'json'))) !== null
        return isWithout || !(await funds()).has(isin) ? null : missing(key)
      }
      const yearOf = async (year: number) =>
        (await window(isin, year)) ?? missing(windowKey(historic, { isin }, year, 'json'))
      const found = await Promise.all(list.map(yearOf))
      return { currency: found[0]?.currency ?? '', prices: found.flatMap(({ prices }) => prices) }
    },
  }
}

interface LiveFunds {
  readonly funds: Readonly<Record<string, { currency: unknown; prices: Readonly<Record<string, unknown>> }>>
}
interface LiveWindows {
  readonly windows: readonly { year: unknown }[]
}
interface LiveWindow {
  readonly currency: unknown
  readonly prices: readonly Readonly<Record<string, unknown>>[]
}

export const priceColumns = rowColumns(schemaTables.prices)

/** A record of a window as the row of the database that it was made from. */
function rowOf(record: LiveWindow['prices'][number]): PriceTexts {
  const stored = storedValues(record)
  const values = priceColumns.map(({ name, kind, isNullable }) => {
    if (kind === 'day') return textOf(record[name])
    return record[name] === undefined && isNullable ? null : textOf(stored[name])
  })
  return values as readonly (string | null)[] as PriceTexts
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw new Error(`${JSON.stringify(value)} is no text`)
}
