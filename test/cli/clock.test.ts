/** What the commands make of the time: progress and dates. */
import { expect, it } from 'vitest'
import { todayInBerlin } from '../../src/core/guards/clock.ts'
import { showProgress } from '../../src/core/cli/progress.ts'

function watched(isTerminal: boolean, isQuiet = false) {
  const written: string[] = []
  let now = 0
  const write = (text: string) => written.push(text)
  const redraw = (line: string) => write(`\r\u001b[K${line}`)
  const paint = (_style: string, text: string) => text
  const writers = { write, tell: write, data: write, command: write }
  const stderr = { ...writers, isTerminal, columns: () => 60, redraw, paint }
  const progress = showProgress({ clock: () => now, isQuiet, stderr }, 'funds')
  const at = (seconds: number, done: number) => {
    now = seconds * 1000
    progress.update(done, 2000, `${done * 100} documents`)
  }
  return { written, at, end: progress.end }
}

it('progress is a line every ten seconds without a terminal, with an estimate for what goes on and has begun in earnest', () => {
  const { written, at, end } = watched(false)
  at(9.9, 480)
  at(10, 1)
  at(20, 500)
  at(25, 800)
  at(30, 500)
  at(40, 1000)
  at(50, 2100)
  end()
  expect(written).toEqual([
    '1 of 2,000 funds, 100 documents, 10 s\n',
    '500 of 2,000 funds, 50000 documents, 20 s, about 60 s left\n',
    '500 of 2,000 funds, 50000 documents, 30 s\n',
    '1,000 of 2,000 funds, 100000 documents, 40 s, about 40 s left\n',
    '2,100 of 2,100 funds, 210000 documents, 50 s, about 0 s left\n',
  ])
})

it('progress is a bar on a terminal, drawn ten times a second, that fits and is removed; nothing with --quiet', () => {
  const { written, at, end } = watched(true)
  at(0.05, 10)
  at(0.2, 500)
  at(0.25, 510)
  end()
  end()
  const bar = '\r\u001b[K██████░░░░░░░░░░░░░░░░░░ 500 of 2,000 funds, 50000 document'
  expect(written).toEqual([bar, '\r\u001b[K'])

  const quiet = watched(true, true)
  quiet.at(20, 1000)
  quiet.end()
  expect(quiet.written).toEqual([])
})

it.each([
  ['2026-11-20T22:59:59Z', '2026-11-20'],
  ['2026-11-20T23:00:00Z', '2026-11-21'],
  ['2026-07-01T21:59:59Z', '2026-07-01'],
  ['2026-07-01T22:00:00Z', '2026-07-02'],
  ['2026-12-31T23:30:00Z', '2027-01-01'],
])('at %s the day in Berlin is %s', (moment, day) => {
  expect(todayInBerlin(new Date(moment))).toBe(day)
})
