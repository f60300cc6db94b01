/** The life of funds that tests make up. */
import type { LifeFacts } from '../../src/core/guards/life.ts'

/** Of a fund that has neither an end nor a suspension. */
export const openLife: LifeFacts = {
  endDate: null,
  endReason: null,
  suspendedFrom: null,
  suspendedTo: null,
  mergerDate: null,
  successorIsin: null,
}
