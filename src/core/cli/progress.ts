/** Shows the progress of a long command: a bar on a terminal, else a line every ten seconds, nothing with --quiet. */

import type { Session } from './command.ts'
import { formatCount } from './format.ts'
import type { Terminal } from './terminal.ts'

export type Progress = ReturnType<typeof showProgress>

const barMilliseconds = 100
const lineMilliseconds = 10_000
const barWidth = 24
/** Least share of the work for an estimate. */
const leastShare = 0.05

export function showProgress(session: Pick<Session, 'clock' | 'isQuiet' | 'stderr'>, what: string) {
  const { clock, isQuiet, stderr } = session
  const every = stderr.isTerminal ? barMilliseconds : lineMilliseconds
  const start = clock()
  let last = start
  let lastDone = 0
  let isShown = false
  return {
    /** @param detail added to the line: `1,204 documents` */
    update: (done: number, expected: number, detail = '') => {
      const now = clock()
      // A listing finds objects that nobody expects.
      const of = Math.max(done, expected)
      if (isQuiet || now - last < every) return
      const seconds = (now - start) / 1000
      // Work that has hardly begun, or stands still, gives no estimate.
      const isSteady = done > lastDone && done >= of * leastShare
      const left = isSteady ? `about ${((seconds / done) * (of - done)).toFixed(0)} s left` : ''
      ;[last, lastDone] = [now, done]
      const count = `${formatCount(done)} of ${formatCount(of)} ${what}`
      const parts = [count, detail, `${seconds.toFixed(0)} s`, left]
      const state = parts.filter((part) => part !== '').join(', ')
      if (!stderr.isTerminal) stderr.write(`${state}\n`)
      else drawBar(stderr, done / Math.max(of, 1), state)
      isShown = stderr.isTerminal
    },
    /** Removes the bar, so that the next text starts on a clean line. */
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
