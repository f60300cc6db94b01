/** What is kept and told of a night. */

export interface NightFigures {
  /** ISO 8601 day. */
  readonly asOf: string
  /** When it was done, ISO 8601 with time. */
  readonly finishedAt: string
  readonly snapshot: string
  /** As `live.json` has it; nights of earlier versions do not say. */
  readonly edition?: string
  readonly funds: number
  readonly documents: number
  /**
   * Documents that differ from those that were live before, as `changes/<as-of>.json` counts them; null where that is not
   * known. Nights of earlier versions, which do not say `written`, have that figure here.
   */
  readonly changed: number | null
  /** Objects that the publish put or deleted. */
  readonly written?: number
  /** Of the whole snapshot. */
  readonly bytes: number
  /** In dollars: what the store asks for the requests of the publish. */
  readonly cost: number
  /** Of the whole night. */
  readonly seconds: number
  /** Of all funds that are watched: the day of the newest price that is oldest, or null without a price. */
  readonly oldestPrice: string | null
  /** Whether the live slot was found as its manifest says. */
  readonly isVerified: boolean
}
