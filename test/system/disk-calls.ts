/** What a program asks of the disk, in its order, as strace sees it. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cleanEnvironment, ended, launcher } from '../cli/run.ts'
import { canRun } from '../support/programs.ts'
import { withoutPages } from '../support/product.ts'

/** One call that has succeeded. `paths`: what is flushed or removed, or what is renamed and its new name. */
export interface DiskCall {
  readonly call: 'flush' | 'flushAll' | 'rename' | 'remove'
  readonly paths: readonly string[]
}

const kinds: Readonly<Record<string, DiskCall['call']>> = {
  fsync: 'flush',
  fdatasync: 'flush',
  syncfs: 'flushAll',
  rename: 'rename',
  renameat: 'rename',
  renameat2: 'rename',
  unlink: 'remove',
  unlinkat: 'remove',
  rmdir: 'remove',
}

/** Whether this machine lets a program be watched. */
export const canWatch = (): boolean => canRun('strace', '-f', '--seccomp-bpf', 'true')

const environment = { ...cleanEnvironment(), ...withoutPages }

/** Runs `fundpress <args>`. @param log a file for what strace writes @param path its PATH */
export async function watchDisk(
  args: readonly string[],
  { cwd, log, path }: { readonly cwd: string; readonly log: string; readonly path: string },
) {
  const wanted = [...Object.keys(kinds), 'openat'].join(',')
  // Paths of numbers are shown (-y), none is cut off, and what is not traced takes no longer than otherwise.
  const options = ['-e', `trace=?${wanted.replaceAll(',', ',?')}`, '-o', log]
  options.push(...'-f --seccomp-bpf -qq -y -s 4096'.split(' '))
  const words = [...options, '-E', `PATH=${path}`, process.execPath, launcher, ...args]
  const end = await ended(
    spawn('strace', words, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  return { ...end, calls: parse(readFileSync(log, 'utf8')) }
}

function parse(log: string): DiskCall[] {
  const begun = new Map<string, string>()
  /** By the path of their number, as `system/below.ts` uses them. */
  const folders = new Map<string, string>()
  return log.split('\n').flatMap((line) => {
    const [, pid = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const [, first] = /^(.*) <unfinished \.\.\.>$/.exec(text) ?? []
    if (first !== undefined) begun.set(pid, first)
    const [, rest] = /^<\.\.\. \w+ resumed>(.*)$/.exec(text) ?? []
    const whole = rest === undefined ? text : `${begun.get(pid) ?? ''}${rest}`
    const [, number, folder = ''] = /^openat\(.*O_DIRECTORY.*\) += (\d+)<(.*)>$/.exec(whole) ?? []
    if (number !== undefined) folders.set(`/proc/self/fd/${number}`, folder)
    const [, name = '', given = ''] = /^(\w+)\((.*)\) += 0$/.exec(whole) ?? []
    const call = kinds[name]
    if (call === undefined) return []
    const withNames = (path: string) =>
      path.replace(/^\/proc\/self\/fd\/\d+/, (opened) => folders.get(opened) ?? opened)
    return [{ call, paths: pathsOf(given, call).map(withNames) }]
  })
}

/** `21</tmp/out>`, `"/tmp/a", "/tmp/b"` or `21</tmp/out>, "name", 0`. */
function pathsOf(given: string, call: DiskCall['call']): string[] {
  const named = [...given.matchAll(/"([^"]*)"/g)].map(([, path = '']) => path)
  const [, opened = ''] = /^\d+<([^>]*)>/.exec(given) ?? []
  if (call === 'flush' || call === 'flushAll') return [opened]
  return named.map((path) => (path.startsWith('/') || opened === '' ? path : `${opened}/${path}`))
}
