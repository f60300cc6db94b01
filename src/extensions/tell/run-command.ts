/**
 * Runs a command with a notice: its JSON is the standard input, its event the variable FUNDPRESS_EVENT. A command runs once, because
 * nobody but itself knows whether a second try does harm.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { systemCode } from '../../core/system/message.ts'
import { statement } from '../../core/cli/safe-text.ts'
import type { Notice } from './notice.ts'
import type { OpenCommand } from './targets.ts'

/** From SIGTERM to SIGKILL, within the time of the command. In milliseconds. */
const graceMs = 1000
/** A process in the background may keep the output open. In milliseconds. */
const lastOutputMs = 250

/** Never throws. @param limitMs of the command, with its grace @returns null for success, else the reason, without addresses */
export const runCommand = (
  target: OpenCommand,
  notice: Notice,
  limitMs: number,
  stop: AbortSignal,
): Promise<string | null> =>
  run(target, notice, limitMs - graceMs, stop).catch((error: unknown) => {
    return `it cannot be run (${systemCode(error)})`
  })

async function run(target: OpenCommand, notice: Notice, limitMs: number, stop: AbortSignal) {
  if (stop.aborted) return 'stopped before it was run'
  const { program, words, environment } = target
  // In a group of its own, so that what a shell has started ends with it.
  const child = spawn(program, words, {
    detached: true,
    env: { ...environment, FUNDPRESS_EVENT: notice.event },
  })
  const output = endOfOutput(child)
  const closed = once(child, 'close').catch(() => undefined)
  const exited = once(child, 'exit')
  // It may end without reading.
  child.stdin.on('error', () => undefined)
  child.stdin.end(`${JSON.stringify(notice)}\n`)
  const end = await firstEnd(exited, limitMs, stop)
  if (end !== 'exit') await endGroup(child, exited)
  const [code, signal] = (await exited) as [number | null, string | null]
  await Promise.race([closed, setTimeout(lastOutputMs, undefined, { ref: false })])
  child.stdout.destroy()
  child.stderr.destroy()
  if (end === 'stop') return 'stopped before it had ended'
  if (end === 'exit' && code === 0) return null
  const ended = code === null ? `${String(signal)} has ended it` : `it ended with exit code ${code}`
  const reason = end === 'limit' ? `it did not end within ${limitMs / 1000} s` : ended
  const said = shownOutput(output())
  return said === '' ? reason : `${reason}: ${said}`
}

async function firstEnd(exited: Promise<unknown>, limitMs: number, stop: AbortSignal) {
  const hasExited = new AbortController()
  const signal = AbortSignal.any([stop, hasExited.signal])
  const late = setTimeout(limitMs, 'limit' as const, { signal }).catch(() => 'stop' as const)
  try {
    return await Promise.race([exited.then(() => 'exit' as const), late])
  } finally {
    hasExited.abort()
  }
}

async function endGroup(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  killGroup(child, 'SIGTERM')
  await Promise.race([exited, setTimeout(graceMs, undefined, { ref: false })])
  killGroup(child, 'SIGKILL')
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // All of them have ended.
  }
}

/** In characters; more than {@link mostShown}, because addresses become shorter. */
const mostKept = 4000
/** In characters. */
const mostShown = 500

/** @returns the end of what was written to stdout and stderr until then */
function endOfOutput({ stdout, stderr }: ChildProcess): () => string {
  let text = ''
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      // Without its first word: it may be the rest of an address.
      if (text.length > mostKept) text = text.slice(-mostKept).replace(/^\S+/, '')
    })
  return () => text
}

/** One line, with no more of an address than its host. Programs say last why they fail. */
function shownOutput(text: string): string {
  const line = statement(text).replace(/\S+/g, withoutPath)
  return line.length > mostShown ? `…${line.slice(-mostShown)}` : line
}

function withoutPath(word: string): string {
  const [scheme = '', rest] = word.split(/(?<=:\/\/)/)
  return rest === undefined ? word : scheme + rest.replace(/[/?#'"\\].*/, '')
}
