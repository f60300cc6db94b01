/** How old the live snapshot is, as a metric of CloudWatch: a scheduled Lambda writes it to its log. */

export interface LambdaWatchOptions {
  /** Reads `live.json`. @returns null if nothing is live */
  readonly readLive: () => Promise<string | null>
  readonly namespace: string
  /** The value of the metric's one dimension, `Stack`. */
  readonly stack: string
  readonly now: () => Date
  /** A line of the log as it is: a prefix would hide it from CloudWatch. */
  readonly write: (line: string) => void
}

/**
 * The handler of the schedule. CloudWatch takes the metric out of the line. Source: its embedded metric format.
 * Where nothing is live it writes none: the alarm takes that for a snapshot that is too old.
 */
export function lambdaWatch({ readLive, namespace, stack, now, write }: LambdaWatchOptions) {
  return async (): Promise<void> => {
    const text = await readLive()
    if (text === null) return
    const { snapshot, liveSince } = JSON.parse(text) as { snapshot: string; liveSince: string }
    const since = Date.parse(liveSince)
    if (isNaN(since)) throw new Error('live.json is damaged: `fundpress status` names what is wrong')
    const at = now().getTime()
    const metric = { Name: 'LiveSnapshotAge', Unit: 'Seconds' }
    const metrics = [{ Namespace: namespace, Dimensions: [['Stack']], Metrics: [metric] }]
    write(
      `${JSON.stringify({
        _aws: { Timestamp: at, CloudWatchMetrics: metrics },
        Stack: stack,
        LiveSnapshotAge: Math.round((at - since) / 1000),
        snapshot,
      })}\n`,
    )
  }
}
