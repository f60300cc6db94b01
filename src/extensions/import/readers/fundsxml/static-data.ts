/**
 * What a fund says of itself, for the profiles of its share classes. Where an element may occur several times, this file says which one
 * counts, and leaves out the others with a reason: benchmarks, ongoing costs, classifications.
 */

import { isDay } from '../../../../core/api/routes/values.ts'
import { shortestOf } from '../../decimals.ts'
import type { RowSink } from '../reader.ts'
import { day, decimal, leaves, type Texts } from './texts.ts'
import type { Element, Elements, Found } from './xml.ts'

export interface StaticDataOptions {
  readonly sink: RowSink
  /** The day that the file is of. */
  readonly contentDate: () => string | undefined
}

/** The elements of FundStaticData. Of those that repeat, the one that counts is a text of the fund: `Benchmark`, `OngoingCosts`. */
export const staticData = (options: StaticDataOptions): Elements => ({
  ...leaves('ListedLegalStructure InceptionDate MaturityDate LiquidationDate LiquidationReason'),
  StartOfFiscalYear: { below: { Day: { text: 'StartDay' }, Month: { text: 'StartMonth' } } },
  EndOfFiscalYear: { below: { Day: { text: 'EndDay' }, Month: { text: 'EndMonth' } } },
  Classifications: classificationsElement(options),
  Benchmarks: benchmarksElement(options),
  OngoingCosts: ongoingCostsElement(options),
})

/** A list of records, of which one fills a text of the fund. @param choose gets all of them, and the fund's texts */
function listElement(
  name: string,
  below: Elements,
  choose: (all: readonly Found[], of: Found) => void,
): Element {
  let all: Found[] = []
  return {
    begins: () => {
      all = []
    },
    below: { [name]: { below, ends: (record) => all.push(record) } },
    ends: ({ outer }) => {
      if (outer !== undefined) choose(all, outer)
      all = []
    },
  }
}

/** @returns the values that differ, each once */
const distinct = (values: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(values.filter((value) => value !== undefined)),
]

/** Uses of a benchmark that are no publication. */
const innerUses = ['INTERNAL', 'PERFORMANCE ATTRIBUTION']

/**
 * The official benchmark counts; without one, that which is not for inner use. Of several names none counts: whether they are parts of one
 * benchmark or follow each other is not in the file.
 */
const benchmarksElement = ({ sink }: StaticDataOptions): Element =>
  listElement(
    'Benchmark',
    {
      Name: { text: 'Name' },
      BenchmarkUsage: { mark: 'usage', by: 'ListedType' },
      BenchmarkComponents: { out: 'components of a benchmark, which has a name of its own' },
    },
    (all, { texts }) => {
      const inner = all.filter((one) => innerUses.includes(one.texts['usage'] ?? ''))
      const official = all.filter((one) => one.texts['usage'] === 'OFFICIAL')
      const shown = official.length > 0 ? official : all.filter((one) => !inner.includes(one))
      const names = distinct(shown.map((one) => one.texts['Name']))
      for (const { place } of inner) sink.leftOut('a benchmark for inner use (BenchmarkUsage)', place)
      if (official.length > 0)
        for (const one of all)
          if (!official.includes(one) && !inner.includes(one))
            sink.leftOut('a benchmark beside the official one', one.place)
      if (names.length > 1)
        for (const { place } of shown)
          sink.leftOut('one of several benchmarks of a fund, whose profile has one', place)
      texts['Benchmark'] = names.length === 1 ? names[0] : undefined
    },
  )

/** The ongoing costs that hold on the day of the file and were published last. */
const ongoingCostsElement = ({ sink, contentDate }: StaticDataOptions): Element =>
  listElement(
    'OngoingCost',
    leaves('CostType PublicationDate ValidFrom ValidTo Percentage'),
    (all, { texts }) => {
      const taken = all.filter((one) => {
        const why = whyNoCost(one.texts, contentDate())
        if (why !== undefined) sink.leftOut(why, one.place)
        return why === undefined
      })
      const newest = taken
        .map(({ texts: own }) => age(own))
        .sort()
        .at(-1)
      const ofNewest = taken.filter((one) => age(one.texts) === newest)
      for (const one of taken)
        if (!ofNewest.includes(one)) sink.leftOut('ongoing costs that later ones replace', one.place)
      const percents = distinct(ofNewest.map((one) => shortestOf(decimal(one.texts['Percentage']) ?? '')))
      if (percents.length > 1)
        for (const { place } of ofNewest)
          sink.leftOut('ongoing costs that differ from others of their day, so that none are taken', place)
      texts['OngoingCosts'] = percents.length === 1 ? ofNewest[0]?.texts['Percentage'] : undefined
    },
  )

const dayNames = ['PublicationDate', 'ValidFrom', 'ValidTo'] as const

/** Orders costs by the day of their publication, then by that from which they hold. */
const age = ({ PublicationDate, ValidFrom }: Texts) => `${day(PublicationDate) ?? ''} ${day(ValidFrom) ?? ''}`

function whyNoCost(texts: Texts, today: string | undefined): string | undefined {
  const { CostType = 'none', ValidFrom, ValidTo } = texts
  if (!/^ongoing/i.test(CostType)) return `costs of type ${CostType}, which are no ongoing costs`
  const wrong = dayNames.find((name) => texts[name] !== undefined && !isDay(day(texts[name]) ?? ''))
  if (wrong !== undefined) return `ongoing costs whose ${wrong} is no day`
  if (today === undefined) return undefined
  const isTooEarly = ValidFrom !== undefined && (day(ValidFrom) ?? '') > today
  const isOver = ValidTo !== undefined && (day(ValidTo) ?? '') < today
  return isTooEarly || isOver
    ? 'ongoing costs that do not hold on the day of the file (ValidFrom, ValidTo)'
    : undefined
}

/** The groups of categories that distributors know, the most usual first. */
export const categoryGroups = ['BVI', 'EFAMA', 'VOEIG', 'LIPPER', 'MORNINGSTAR']

/** Keeps categories as `category BVI de`: of each group and language one. Without a language they are German. */
const classificationsElement = ({ sink }: StaticDataOptions): Element =>
  listElement(
    'Classification',
    { ...leaves('ListedGroup Language'), Value: { text: 'Value', by: 'level' } },
    (all, { texts }) => {
      const known = all.filter((one) => categoryGroups.includes(one.texts['ListedGroup'] ?? ''))
      for (const [name, own] of Map.groupBy(known, (one) => categoryName(one.texts))) {
        const values = distinct(own.map((one) => deepest(one.texts)))
        texts[name] = values.length === 1 ? values[0] : undefined
        if (values.length < 2 && own.every((one) => deepest(one.texts) !== undefined)) continue
        for (const {
          place,
          texts: { ListedGroup = '' },
        } of own)
          sink.leftOut(`one of several classifications of ${ListedGroup}, of which a profile has one`, place)
      }
    },
  )

const categoryName = ({ ListedGroup = '', Language = 'de' }: Texts) =>
  `category ${ListedGroup} ${Language.replace(/-.*/, '').toLowerCase()}`

/** Values have levels, of which the last one says the most. @returns undefined for several values of one level */
function deepest(texts: Texts): string | undefined {
  const values = Object.entries(texts).flatMap(([key, value = '']) =>
    key.startsWith('Value ') ? [{ level: Number(key.slice('Value '.length)), value }] : [],
  )
  const last = Math.max(...values.map(({ level }) => level))
  const value = values.find(({ level }) => level === last)?.value
  return value?.includes('\n') === true ? undefined : value
}
