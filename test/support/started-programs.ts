/** Programs that a test may start: those that every machine has, and those that its file has asked for. */
import childProcess, { ChildProcess } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { expect } from 'vitest'

/** What `npm test` may count on, beside coreutils, and our own program, which a test puts into its PATH. */
const alwaysThere = new Set(['node', 'npm', 'git', 'sh', 'fundpress'])
/** As Debian's package has them, but those that no test needs. */
const coreutils = new Set(
  (
    'base64 basename cat chmod chown cksum comm cp cut date dd df dirname du echo env expr false head id join ln ls mkdir mkfifo ' +
    'mktemp mv nice nohup paste printenv printf pwd readlink realpath rm rmdir seq sha256sum sleep sort split stat stdbuf sync ' +
    'tail tee test timeout touch tr true truncate uname uniq wc yes'
  ).split(' '),
)

/** Programs that a test file has asked for, by its path. */
const askedFor = new Map<string, Set<string>>()
/** Benchmarks use parts of tests, and are of no file. */
const testFile = () => (process.env['VITEST'] === undefined ? '' : (expect.getState().testPath ?? ''))

/** Lets the test file that runs start a program that a machine may lack. */
export function allowProgram(program: string): void {
  const asked = askedFor.get(testFile()) ?? new Set()
  askedFor.set(testFile(), asked.add(program))
}

/**
 * Refuses a program that a machine may lack unless the test file has asked for it: without this a test passes on the machine of
 * its author, and fails on a bare one. A path is not refused, as whoever has it has looked, but for those of shells.
 */
function refuseUnasked(command: unknown): void {
  const program = String(command).replace(/^\/(?:usr\/)?bin\/(?=(?:ba)?sh$)/, '')
  const isFree = program.includes('/') || alwaysThere.has(program) || coreutils.has(program)
  if (isFree || askedFor.get(testFile())?.has(program)) return
  throw new Error(
    `${program} may be missing on a machine: ask lacks('${program}') in the test file, and skip the test`,
  )
}

let isWatching = false

/** Has every start of a program in this process ask {@link refuseUnasked}. Programs that a shell or a program starts are not seen. */
export function watchStartedPrograms(): void {
  if (isWatching) return
  isWatching = true
  const prototype = ChildProcess.prototype as unknown as {
    spawn: (options: { readonly file: string }) => unknown
  }
  const { spawn } = prototype
  // spawn, execFile, exec and fork end here, also those that are promises.
  prototype.spawn = function (options) {
    refuseUnasked(options.file)
    return spawn.call(this, options)
  }
  for (const name of ['spawnSync', 'execFileSync'] as const) {
    const start = childProcess[name] as (...words: readonly unknown[]) => unknown
    Object.assign(childProcess, {
      [name]: (...words: readonly unknown[]) => {
        refuseUnasked(words[0])
        return start(...words)
      },
    })
  }
  syncBuiltinESMExports()
}
