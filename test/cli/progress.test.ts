import { expect, it } from 'vitest'
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
    redraw: (line: string) => written.push(`\r\u001b[K${line}`),
    command: (lines: string) => written.push(lines),
    paint: (_style: string, text: string) => text,
  }
  const progress = showProgress({ clock: () => now, isQuiet, stderr }, 'funds')
  const at = (seconds: number, done: number) => {
    now = seconds * 1000
    progress.update(done, 2000, `${done * 100} documents`)
  }
  return { written, at, progress }
}

it('writes a line every ten seconds where there is no terminal', () => {
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

it('draws a bar that fits the line, ten times a second, and removes it', () => {
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

it('writes nothing if it is to be quiet', () => {
  const { written, at, progress } = watched(true, true)
  at(20, 1000)
  progress.end()
  expect(written).toEqual([])
})
