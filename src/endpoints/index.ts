/** The registry: every endpoint of the API, in the interface's order. A new endpoint is a file and a line here. */

import type { Endpoint } from '../contract/endpoint.ts'
import assetAllocationsWithDerivatives from './asset-allocations-with-derivatives.ts'
import assetAllocationsWithoutDerivatives from './asset-allocations-without-derivatives.ts'
import emt from './emt.ts'
import figures from './figures.ts'
import investmentStructure from './investment-structure.ts'
import performanceLaunch from './performance-launch.ts'
import performanceLegal from './performance-legal.ts'
import performanceYears from './performance-years.ts'
import performanceYearsAll from './performance-years-all.ts'
import pricesCurrent from './prices-current.ts'
import pricesCurrentAll from './prices-current-all.ts'
import pricesHistoric from './prices-historic.ts'
import profile from './profile.ts'

export const endpoints: readonly Endpoint[] = [
  pricesCurrent,
  pricesCurrentAll,
  pricesHistoric,
  performanceYears,
  performanceYearsAll,
  investmentStructure,
  figures,
  performanceLegal,
  performanceLaunch,
  profile,
  assetAllocationsWithDerivatives,
  assetAllocationsWithoutDerivatives,
  emt,
]
