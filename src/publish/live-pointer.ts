/** A place beside `live.json` that says what is live, for edges that cannot read it: CloudFront's KeyValueStore. */

import type { Live, LiveSnapshot } from './live.ts'

export interface LivePointer {
  /** For messages. */
  readonly name: string
  /** Makes it say this. @returns whether it said something else before */
  readonly set: (live: Pointed) => Promise<boolean>
}

/** What it has to know. */
export type Pointed = LiveSnapshot & Partial<Pick<Live, 'earlierDownloads' | 'previous'>>

/** @returns whether it had to be told @throws {Error} if it cannot be: what to do */
export async function point(pointer: LivePointer | null | undefined, live: Pointed): Promise<boolean> {
  try {
    return (await pointer?.set(live)) ?? false
  } catch (error) {
    throw new Error(
      `${error instanceof Error ? error.message : String(error)}: ${pointer?.name ?? ''} does not say that ${live.snapshot} is live; publish again`,
      { cause: error },
    )
  }
}
