/** A fund's prices of one calendar year, as they were and as they are: what changed in the past. */

export interface PriceWindow {
  readonly fund: string | null
  /** By day, ISO 8601, ascending: values by item, decimals with a point. */
  readonly days: ReadonlyMap<string, Readonly<Record<string, string>>>
}

export interface WindowChanges {
  readonly corrected: readonly {
    readonly date: string
    readonly item: string
    readonly before: string | null
    readonly after: string | null
  }[]
  /** Days. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/**
 * @param before null where the year had no prices @param after null where it has none any more
 * @param isNewest whether it is the last year that had prices before: a day after its last one is none of the past
 */
export function compareWindows(
  before: PriceWindow | null,
  after: PriceWindow | null,
  isNewest: boolean,
): WindowChanges {
  const [old, fresh] = [before?.days ?? none, after?.days ?? none]
  const lastDay = [...old.keys()].at(-1) ?? ''
  const isPast = (day: string) => !isNewest || day <= lastDay
  return {
    corrected: [...fresh].flatMap(([date, values]) => {
      const standing = old.get(date)
      return standing === undefined ? [] : correctionsOf(standing, values).map((one) => ({ date, ...one }))
    }),
    added: [...fresh.keys()].filter((day) => !old.has(day) && isPast(day)),
    removed: [...old.keys()].filter((day) => !fresh.has(day)),
  }
}

type Values = Readonly<Record<string, string>>
const none: PriceWindow['days'] = new Map()

/** In the order in which the items stand in the records; those that are gone come last. */
function correctionsOf(before: Values, after: Values) {
  const items = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  return items
    .map((item) => ({ item, before: before[item] ?? null, after: after[item] ?? null }))
    .filter((one) => one.before !== one.after)
}

interface Loose {
  readonly fund?: { readonly name?: unknown } | null
  readonly prices?: unknown
}

/** The fund's name in a document of any endpoint, or null. @throws {SyntaxError} if it is no JSON */
export function readFundName(text: string): string | null {
  return nameIn(JSON.parse(text) as Loose | null)
}

const nameIn = (document: Loose | null) => {
  const name = document?.fund?.name
  return typeof name === 'string' ? name : null
}

/** @param text a window's document as JSON @throws {Error} if it is none */
export function readWindow(text: string): PriceWindow {
  const document = JSON.parse(text) as Loose | null
  if (!Array.isArray(document?.prices)) throw new Error('no prices')
  const days = new Map<string, Values>()
  for (const record of document.prices as readonly (Readonly<Record<string, unknown>> | null)[]) {
    if (typeof record?.['date'] === 'string') days.set(record['date'], valuesOf(record))
  }
  return { fund: nameIn(document), days }
}

function valuesOf(record: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(
    Object.entries(record).flatMap(([item, field]) => {
      const value = (field as { readonly value?: unknown } | null)?.value
      // Historic prices carry a decimal comma (names.md).
      return typeof value === 'string' ? [[item, value.replace(',', '.')]] : []
    }),
  )
}
