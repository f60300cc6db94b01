/** The catalogue: a list of the funds, and a page with charts for each. */

import type { FundPages, SitePages } from '../../api/contract/page.ts'
import { pageTemplate } from '../layout/layout.ts'
import { fundEntry } from './entry.ts'
import { fundFacts } from './facts.ts'
import { catalogueStyleKey, fundPageKeys, fundScriptKey, listScriptKey } from './keys.ts'
import { listPages } from './list.ts'
import { fundPage } from './page.ts'

export const catalogueFundPages: FundPages = {
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
    return (['de', 'en'] as const).map((language) => ({
      key: keys[language],
      content: fundPage(facts, language),
    }))
  },
  entry: fundEntry,
}

export const cataloguePages: SitePages = (source) => [
  ...listPages(source),
  ...[catalogueStyleKey, fundScriptKey, listScriptKey].map((key) => ({
    key,
    content: pageTemplate(key.replace('funds/', 'pages/')),
  })),
]
