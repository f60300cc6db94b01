/** Which prices are implausible. Pure. */

/** `plausibility` in the config file. Jumps are shares: 0.3 is 30 %. Days are business days. */
export interface PlausibilitySettings extends PlausibilityLimits {
  readonly onImplausible: 'refuse' | 'withhold'
  /** The first group that a fund fits counts. */
  readonly groups: readonly PlausibilityGroup[]
}

export interface PlausibilityLimits {
  readonly errorJump: number
  readonly warnJump: number
  readonly flatDays: number
  readonly gapDays: number
}

/** A fund fits if it has every named property. The group overrides the limits that it names. */
export interface PlausibilityGroup extends Partial<PlausibilityLimits> {
  readonly category?: string
  readonly currency?: string
  readonly isins?: readonly string[]
  /** Nothing is checked. */
  readonly never?: boolean
}

export const defaultPlausibility: PlausibilitySettings = {
  errorJump: 0.3,
  warnJump: 0.1,
  flatDays: 10,
  gapDays: 5,
  onImplausible: 'refuse',
  groups: [],
}
