/** The command line in a folder of its own, so that no config file of the repository has a say. */
import { spawn, type ChildProcess } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository, withoutPages } from '../support/product.ts'
import type { Done } from '../support/warm-process.ts'
import { runWarm, withoutProgress } from '../support/warm.ts'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  /** On top of this process's; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** `node`: another Node than the one that runs the tests; `user`: another user and group, for root only. */
export interface ProcessOptions extends RunOptions {
  readonly node?: string
  readonly user?: number
}

export const launcher = join(repository, 'src/fundpress.mjs')

/** Puts a program `fundpress` into a folder, for a PATH. @param file what it runs with Node @returns the folder */
export function installLauncher(folder: string, file = launcher): string {
  mkdirSync(folder, { recursive: true })
  // Whatever its environment is: without compiled code a start takes seconds.
  const cache = `NODE_COMPILE_CACHE='${process.env['NODE_COMPILE_CACHE'] ?? ''}'`
  const program = `#!/bin/sh\n${cache} exec '${process.execPath}' '${file}' "$@"\n`
  writeFileSync(join(folder, 'fundpress'), program, { mode: 0o755 })
  return folder
}

/** The words after `fundpress`: a text is cut at its blanks. */
type Words = string | readonly string[]
const wordsOf = (words: Words) => (typeof words === 'string' ? words.split(' ') : words)

export async function run(words: Words, { cwd, env = {} }: RunOptions): Promise<Ended> {
  const { code, stdout, stderr } = await runWarm({ args: wordsOf(words), cwd, env: environmentOf(env) })
  return { code, stdout, stderr, signal: null }
}

/** The same. @returns all that it prints, as it comes in a terminal */
export const runShown = (words: readonly string[], { cwd, env }: RunOptions): Promise<Done> =>
  runWarm({ args: words, cwd, env: environmentOf(env) })

/** The same in a process of its own, for what belongs to one. */
export const runAlone = (words: Words, options: ProcessOptions): Promise<Ended> =>
  ended(start(words, options))

export function start(words: Words, options: ProcessOptions): ChildProcess {
  const { cwd, env = {}, node = process.execPath, user } = options
  return spawn(node, [launcher, ...wordsOf(words)], {
    cwd,
    ...(user === undefined ? {} : { uid: user, gid: user }),
    env: environmentOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

const environmentOf = (env: RunOptions['env']) => ({ ...cleanEnvironment(), ...withoutPages, ...env })

/** The environment without what a developer has set for fundpress, or what npm and vitest say about colours. */
export function cleanEnvironment(): Record<string, string | undefined> {
  const isForUs = ([name]: readonly [string, unknown]) => /^(FUNDPRESS_|NO_COLOR$|FORCE_COLOR$)/.test(name)
  return Object.fromEntries(Object.entries(process.env).filter((one) => !isForUs(one)))
}

/** Waits until a process says this to stderr. */
export async function says(child: ChildProcess, words: string): Promise<void> {
  let said = ''
  for await (const [chunk] of on(child.stderr ?? child, 'data') as AsyncIterable<[Buffer]>) {
    said += chunk.toString()
    if (said.includes(words)) return
  }
}

export async function ended(child: ChildProcess): Promise<Ended> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  const [stdout, stderr] = [out, err].map((chunks) => Buffer.concat(chunks).toString())
  return withoutProgress({ code, signal, stdout: stdout ?? '', stderr: stderr ?? '' })
}
