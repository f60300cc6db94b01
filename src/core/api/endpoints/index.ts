/** The registry: every endpoint of the API, in the interface's order. A new endpoint is a file and a line here. */

import type { Endpoint } from '../contract/endpoint.ts'
import { withDerivatives, withoutDerivatives } from './asset-allocations.ts'
import emt from './emt.ts'
import figures from './figures.ts'
import investmentStructure from './investment-structure.ts'
import { legalPerformance, sinceLaunch, yearly, yearlyOfAll } from './performance.ts'
import { pricesCurrent, pricesCurrentAll, pricesHistoric } from './prices.ts'
import profile from './profile.ts'

export const endpoints: readonly Endpoint[] = [
  pricesCurrent,
  pricesCurrentAll,
  pricesHistoric,
  yearly,
  yearlyOfAll,
  investmentStructure,
  figures,
  legalPerformance,
  sinceLaunch,
  profile,
  withDerivatives,
  withoutDerivatives,
  emt,
]
