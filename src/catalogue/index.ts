/** The catalogue: a list of the funds, and a page each with its charts. */

import type { FundPages, SitePages } from '../contract/page.ts'
import { catalogueAssets } from './assets.ts'
import { fundEntry } from './entry.ts'
import { fundFacts } from './fund-facts.ts'
import { fundPageKeys } from './fund-page-keys.ts'
import { fundPage } from './fund-page.ts'
import { listPages } from './list-pages.ts'

export const fundPages: FundPages = {
  folder: 'funds/',
  names: ['de.html', 'index.html'],
  reads: [
    'prices',
    'performanceYears',
    'structureItems',
    'keyFigures',
    'legalPeriods',
    'legalPoints',
    'launchPoints',
    'profile',
    'assetAllocations',
    'emt',
  ],
  isFor: ({ dataPermitted }) => dataPermitted === 1,
  render: (source) => {
    const facts = fundFacts(source)
    const keys = fundPageKeys(source.fund.isin)
    return [
      { key: keys.de, content: fundPage(facts, 'de') },
      { key: keys.en, content: fundPage(facts, 'en') },
    ]
  },
  entry: fundEntry,
}

export const cataloguePages: SitePages = (source) => [...listPages(source), ...catalogueAssets()]
