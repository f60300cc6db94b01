/** Asset allocations over time, with derivatives and without: endpoints 11 and 12. Source: the interface. */

import { endpoint, fail } from '../contract/endpoint.ts'
import { dataDenied, noIsin, unknownIsin } from '../contract/errors.ts'
import { basicFund, fundWithStatus, inLanguage } from '../contract/fund.ts'
import { keyed, number, record, type Texts } from '../contract/shape.ts'

const group = {
  id: 'asset-allocations',
  title: { en: 'Asset allocations', de: 'Vermögensaufteilung' },
  lead: {
    en: 'How the assets of a fund are divided among asset classes over time, with or without derivatives.',
    de: 'Wie sich das Vermögen eines Fonds im Zeitverlauf auf Anlageklassen verteilt, mit oder ohne Derivate.',
  },
}

const ofClass = number(
  'Share of the asset class in the fund on that day, in percent',
  'Anteil der Anlageklasse am Fonds an diesem Tag in Prozent',
)
const body = record({
  fund: basicFund,
  allocations: keyed(
    'asset class',
    'Anlageklasse',
    keyed('day, close to a month-end', 'Tag, nahe am Monatsende', ofClass),
  ),
})

const allocations = (which: 'with' | 'without', texts: { readonly name: Texts; readonly summary: Texts }) =>
  endpoint({
    id: `asset-allocations-${which}-derivatives`,
    group,
    path: `/api/v2/asset-allocations/${which}-derivatives/{isin}/`,
    ...texts,
    hasLanguages: true,
    parameters: { isin: { kind: 'isin', missing: 'noisin', unknown: 'notfound' } },
    errors: { noisin: noIsin, notfound: unknownIsin, denied: dataDenied },
    reads: ['assetAllocations'],
    body,
    build({ fund, assetAllocations }, { language }) {
      if (fund.dataPermitted === 0) return fail('denied')
      const derivatives = which === 'with' ? 1 : 0
      // Classes in the order of their positions, identified by name in the requested language.
      const byClass = new Map<string, Map<string, number>>()
      for (const row of assetAllocations) {
        if (row.derivatives !== derivatives) continue
        const name = inLanguage(language, row.classDe, row.classEn)
        const byDay = byClass.get(name) ?? new Map<string, number>()
        byClass.set(name, byDay.set(row.date, row.percent))
      }
      // A class may have two positions, and so two runs of days.
      const ascending = (byDay: Map<string, number>) =>
        new Map([...byDay].sort(([a], [b]) => (a < b ? -1 : 1)))
      const allocations = new Map([...byClass].map(([name, byDay]) => [name, ascending(byDay)]))
      return { fund: fundWithStatus(fund), allocations }
    },
  })

export const withDerivatives = allocations('with', {
  name: {
    en: 'Allocation over time, with derivatives',
    de: 'Vermögensaufteilung im Zeitverlauf, mit Derivaten',
  },
  summary: {
    en: 'Asset allocations of one fund over time, with derivatives',
    de: 'Vermögensaufteilung eines Fonds im Zeitverlauf, mit Derivaten',
  },
})

export const withoutDerivatives = allocations('without', {
  name: {
    en: 'Allocation over time, without derivatives',
    de: 'Vermögensaufteilung im Zeitverlauf, ohne Derivate',
  },
  summary: {
    en: 'Asset allocations of one fund over time, without derivatives',
    de: 'Vermögensaufteilung eines Fonds im Zeitverlauf, ohne Derivate',
  },
})
