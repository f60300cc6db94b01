/** What benchmarks share: options, a folder of their own, programs that they measure, tables for `README.md`. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { makeTempFolder } from '../support/product.ts'

type Options = NonNullable<ParseArgsConfig['options']>
type Values<O extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: O }>>['values']

/** @returns a benchmark that parses its arguments, and removes its folder at the end */
export function bench<const O extends Options>(
  options: O,
  measure: (folder: string, values: Values<O>) => Promise<void>,
): (args: string[]) => Promise<void> {
  return async (args) => {
    const { values } = parseArgs<{ args: string[]; options: O }>({ args, options })
    const { path, remove } = makeTempFolder()
    await measure(path, values).finally(remove)
  }
}

export type Timed = Awaited<ReturnType<typeof timed>>

export const fundpress = new URL('../../src/cli/fundpress.mjs', import.meta.url).pathname

/** Runs a program, and watches its CPU time (of all threads together) and the most memory that it has. */
export async function timed(program: string, args: readonly string[]) {
  const started = performance.now()
  const env: NodeJS.ProcessEnv = { ...process.env, AWS_DEFAULT_REGION: 'us-east-1' }
  // The server is on loopback: a machine's own CA bundle only confuses rclone.
  delete env['AWS_CA_BUNDLE']
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  let [peakMib, cpuSeconds] = [0, 0]
  const watch = setInterval(() => {
    try {
      const read = (name: string) => readFileSync(`/proc/${child.pid ?? 0}/${name}`, 'utf8')
      // One that has just ended has none any more.
      const kib = Number(/VmHWM:\s+(\d+)/.exec(read('status'))?.[1] ?? 0)
      peakMib = Math.max(peakMib, Math.round(kib / 1024))
      // Hundredths of a second, behind the name of the program in brackets: user, system.
      const fields = read('stat')
        .replace(/^.*\) /, '')
        .split(' ')
      cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100
    } catch {
      // It has just ended.
    }
  }, 20)
  const closed = once(child, 'close')
  const stdout = await text(child.stdout)
  const [code] = (await closed) as [number | null]
  clearInterval(watch)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`)
  return { seconds: (performance.now() - started) / 1000, cpuSeconds, peakMib, stdout }
}

/** Prints rows as a Markdown table. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const [head = [], ...body] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const lines = [head, rule, ...body].map((cells) => `| ${cells.map(pad).join(' | ')} |\n`)
  process.stdout.write(lines.join(''))
}
