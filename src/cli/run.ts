/** Runs one command: what it says and what it ends with, wherever it runs. */

import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { CommanderError } from 'commander'
import { reasonOf, UsageError } from './failure.ts'
import { createProgram } from './program.ts'
import { safeLines } from './safe-text.ts'
import { withoutSecrets } from './secrets.ts'
import { startIn } from './session.ts'
import type { Surroundings } from './session.ts'

/**
 * @param args the words behind `fundpress`
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage or settings; the reason has been written to stderr by then
 */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { signal, stdout } = surroundings
  const program = createProgram(startIn(surroundings), {
    version: readVersion(),
    write: (text) => stdout.write(text),
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Help and version have been printed by then; help that nobody asked for stands in for a missing command.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    // An interrupted command fails in its own words, which are no news.
    report(signal.aborted ? signal.reason : error, surroundings)
    return error instanceof UsageError ? 2 : 1
  }
}

/** A line on stderr; with FUNDPRESS_DEBUG=1 also where in the program it comes from. */
export function report(
  error: unknown,
  { stderr, environment }: Pick<Surroundings, 'stderr' | 'environment'>,
): void {
  const details = environment.FUNDPRESS_DEBUG === '1' ? `${withoutSecrets(inspect(error))}\n` : ''
  const text = `fundpress: ${reasonOf(error)}\n${details}`
  stderr.write(safeLines(text))
}

/** package.json lies two folders up, from src/cli and from dist/cli alike. */
function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return hasVersion ? String(manifest.version) : 'unknown'
}
