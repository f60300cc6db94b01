/** Shows how far a long command is: a bar on a terminal, else a line every ten seconds, nothing with --quiet. */

import { formatCount } from './format.ts'
import type { Terminal } from './terminal.ts'

export interface Progress {
  /** @param detail added to the line: `1,204 documents` */
  readonly update: (done: number, of: number, detail?: string) => void
  /** Removes the bar, so that the next text starts on a clean line. */
  readonly end: () => void
}

const barMilliseconds = 100
const lineMilliseconds = 10_000
const barWidth = 24

export function showProgress(
  session: { readonly clock: () => number; readonly isQuiet: boolean; readonly stderr: Terminal },
  what: string,
): Progress {
  const { clock, isQuiet, stderr } = session
  if (isQuiet) return { update: () => undefined, end: () => undefined }
  const every = stderr.isTerminal ? barMilliseconds : lineMilliseconds
  const start = clock()
  let last = start
  let isShown = false
  return {
    update: (done, of, detail = '') => {
      const now = clock()
      if (now - last < every) return
      last = now
      const state = describeProgress([done, of], what, detail, (now - start) / 1000)
      if (!stderr.isTerminal) stderr.write(`${state}\n`)
      else drawBar(stderr, done / Math.max(of, 1), state)
      isShown = stderr.isTerminal
    },
    end: () => {
      if (isShown) stderr.redraw('')
      isShown = false
    },
  }
}

function drawBar(terminal: Terminal, share: number, state: string): void {
  const filled = Math.round(barWidth * Math.min(share, 1))
  const bar =
    terminal.paint('green', '█'.repeat(filled)) + terminal.paint('dim', '░'.repeat(barWidth - filled))
  // A line that wraps could not be erased.
  terminal.redraw(`${bar} ${state.slice(0, Math.max(0, terminal.columns() - barWidth - 2))}`)
}

function describeProgress(
  [done, of]: readonly [number, number],
  what: string,
  detail: string,
  seconds: number,
): string {
  const left = done === 0 ? undefined : (seconds / done) * (of - done)
  const parts = [`${formatCount(done)} of ${formatCount(of)} ${what}`, detail, `${seconds.toFixed(0)} s`]
  if (left !== undefined) parts.push(`about ${left.toFixed(0)} s left`)
  return parts.filter((part) => part !== '').join(', ')
}
