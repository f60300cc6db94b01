/** What the commands make of the time: progress and dates. */
import { expect, it } from 'vitest'
import { businessDayBefore } from '../../src/cli/commands/demo.ts'
import { todayInBerlin } from '../../src/cli/dates.ts'
import { showProgress } from '../../src/cli/progress.ts'

function watched(isTerminal: boolean, isQuiet = false) {
  const written: string[] = []
  let now = 0
  const stderr = {
    isTerminal,
    columns: () => 60,
    write: (text: string) => written.push(text),
    tell: (text: string) => written.push(text),
    data: (text: string) => written.push(text),
    command: (text: string) => written.push(text),
    redraw: (line: string) => written.push(`\r\u001b[K${line}`),
    paint: (_style: string, text: string) => text,
  }
  const progress = showProgress({ clock: () => now, isQuiet, stderr }, 'funds')
  const at = (seconds: number, done: number) => {
    now = seconds * 1000
    progress.update(done, 2000, `${done * 100} documents`)
  }
  return { written, at, progress }
}

it('progress is a line every ten seconds without a terminal', () => {
  const { written, at, progress } = watched(false)
  at(1, 50)
  at(9.9, 480)
  at(10, 500)
  at(15, 800)
  at(20, 1000)
  progress.end()
  expect(written).toEqual([
    '500 of 2,000 funds, 50000 documents, 10 s, about 30 s left\n',
    '1,000 of 2,000 funds, 100000 documents, 20 s, about 20 s left\n',
  ])
})

it('progress is a bar on a terminal, drawn ten times a second, that fits the line and is removed', () => {
  const { written, at, progress } = watched(true)
  at(0.05, 10)
  at(0.2, 500)
  at(0.25, 510)
  progress.end()
  progress.end()
  expect(written).toEqual([
    '\r\u001b[K██████░░░░░░░░░░░░░░░░░░ 500 of 2,000 funds, 50000 document',
    '\r\u001b[K',
  ])
})

it('there is no progress with --quiet', () => {
  const { written, at, progress } = watched(true, true)
  at(20, 1000)
  progress.end()
  expect(written).toEqual([])
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

it.each([
  ['2026-11-20', '2026-11-19'],
  ['2026-11-21', '2026-11-20'],
  ['2026-11-22', '2026-11-20'],
  ['2026-11-23', '2026-11-20'],
  ['2024-03-01', '2024-02-29'],
  ['2026-03-30', '2026-03-27'],
])('the business day before %s is %s', (day, before) => {
  expect(businessDayBefore(day)).toBe(before)
})
