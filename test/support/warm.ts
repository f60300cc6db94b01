/**
 * Runs commands of the product in processes that are kept for the next one: loading the program is most of what a small
 * command costs. A command gets arguments, folder and environment of its own as always; what belongs to a process
 * (signals, pipes, its exit, a kill) is tested with one of its own.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Done, Order, Piece } from './warm-process.ts'

const program = fileURLToPath(new URL('warm-process.ts', import.meta.url))
/** By what their Node was told: nothing of its own, or the local names, which change nothing else. */
const idle = new Map<string, ChildProcess[]>([
  ['', []],
  [`NODE_OPTIONS=--import=${new URL('local-names.ts', import.meta.url).href}`, []],
])

/**
 * Runs a command, in the process that was idle last or a new one.
 * @throws {Error} if it takes its process down
 */
export async function runWarm(order: Order): Promise<Done> {
  // What Node itself is told counts from its start only: such a command has a process of its own.
  const told = Object.entries(order.env).filter(
    ([name, value]) => name.startsWith('NODE_') && value !== process.env[name],
  )
  const kept = idle.get(told.map((pair) => pair.join('=')).join(' '))
  const child = kept?.pop() ?? (await startWarm(order.env))
  keepAlive(child, true)
  const done = new Promise<Done>((resolve, reject) => {
    const end = (code: number | null, signal: string | null): void => {
      reject(new Error(`fundpress ${order.args.join(' ')} took its process down: ${code ?? signal}`))
    }
    child.once('exit', end)
    child.once('message', (message) => {
      child.off('exit', end)
      const { said, ...outcome } = message as Done
      resolve({ ...withoutProgress(outcome), said: said.map(withoutProgressIn) })
    })
  })
  child.send(order)
  const result = await done
  if (kept === undefined) child.disconnect()
  else {
    keepAlive(child, false)
    kept.push(child)
  }
  return result
}

/** A run without what it says of its progress every ten seconds: whether it does depends on the machine. */
export const withoutProgress = <R extends Pick<Done, 'stdout' | 'stderr'>>(run: R): R => {
  return { ...run, stdout: run.stdout.replaceAll(progress, ''), stderr: run.stderr.replaceAll(progress, '') }
}

const withoutProgressIn = ({ stream, text }: Piece): Piece => ({
  stream,
  text: text.replaceAll(progress, ''),
})

/** Lines for people, and events of a log for machines. */
const progress =
  /^(?:[\d,]+ of [\d,]+ [a-z ]+, .*\b\d+ s(?:, about \d+ s left)?|\{.*"event":"progress".*\})\n/gm

async function startWarm(env: Order['env']): Promise<ChildProcess> {
  // The flags of the test runner are none of the product's.
  const child = fork(program, { execArgv: [], env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  await once(child, 'message')
  return child
}

/** An idle process does not keep the tests from ending, and ends with them. */
function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  const act = isNeeded ? 'ref' : 'unref'
  child[act]()
  child.channel?.[act]()
}
