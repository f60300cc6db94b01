/** Programs that a machine may lack. */
import { spawnSync } from 'node:child_process'
import { accessSync, appendFileSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeEach, expect } from 'vitest'
import { allowProgram } from './started-programs.ts'
import { missingPrograms } from './temporary.ts'

/** Whether a test has to be skipped for it: in CI it fails instead. */
export const isMissing = (isThere: boolean): boolean => !isThere && process.env['CI'] !== 'true'

/** Runs a program that may be missing. @returns whether it is there and succeeds */
export function canRun(program: string, ...args: readonly string[]): boolean {
  allowProgram(program)
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

/** Finds out whether a program is in PATH; if it is, the test file may start it. */
export function isInPath(program: string): boolean {
  allowProgram(program)
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/**
 * Whether a test has to be skipped because a program is not in PATH or does not run with these arguments. Ask in the test file:
 * the end of the run names the program and counts the files that have asked.
 */
export function lacks(program: string, ...args: readonly string[]): boolean {
  const isLacking = isMissing(args.length === 0 ? isInPath(program) : canRun(program, ...args))
  if (isLacking) appendFileSync(missingPrograms(), `${program}\t${expect.getState().testPath ?? ''}\n`)
  return isLacking
}

/** Asks {@link lacks} of each program. */
export const lacksAny = (...programs: readonly string[]): boolean =>
  programs.filter((program) => lacks(program)).length > 0

/**
 * Skips the tests of this file, or of the suite around, where a program is missing.
 * @returns whether all are there: `beforeAll` runs in any case, and has to ask
 */
export function needs(...programs: readonly string[]): boolean {
  const isLacking = lacksAny(...programs)
  beforeEach(({ skip }) => {
    skip(isLacking, `needs ${programs.join(', ')}`)
  })
  return !isLacking
}

/** @returns what shellcheck finds in a script for the shell of its first line */
export function shellcheck(input: string, ...flags: readonly string[]): string {
  const { error, stdout, stderr } = spawnSync('shellcheck', [...flags, '-'], { input, encoding: 'utf8' })
  if (error) throw error
  return stdout + stderr
}
