/** All checks, in the order that they run in. A new one is an entry in the file of its group. */

import type { Check } from './check.ts'
import { answerChecks } from './checks/answers.ts'
import { cachingChecks } from './checks/caching.ts'
import { codingChecks } from './checks/codings.ts'
import { hostileChecks } from './checks/hostile.ts'
import { httpChecks } from './checks/http.ts'
import { linkChecks } from './checks/links.ts'
import { negotiationChecks } from './checks/negotiation.ts'
import { pageChecks } from './checks/pages.ts'
import { partChecks } from './checks/parts.ts'
import { rangeChecks } from './checks/ranges.ts'
import { refusalChecks } from './checks/refusals.ts'

export const checks: readonly Check[] = [
  ...answerChecks,
  ...refusalChecks,
  ...negotiationChecks,
  ...rangeChecks,
  ...httpChecks,
  ...partChecks,
  ...pageChecks,
  ...cachingChecks,
  ...linkChecks,
  ...codingChecks,
  ...hostileChecks,
]
