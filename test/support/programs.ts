/** Programs that a machine may lack. */
import { spawnSync } from 'node:child_process'

/** Whether a test has to be skipped for it: in CI it fails instead. */
export const isMissing = (isThere: boolean): boolean => !isThere && process.env['CI'] !== 'true'

export const canRun = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

/** Whether a test has to be skipped because a program does not run with these arguments. */
export const lacks = (program: string, ...args: readonly string[]): boolean =>
  isMissing(canRun(program, ...args))

export const lacksShellcheck = lacks('shellcheck', '--version')

/** @returns what shellcheck finds in a script for the shell of its first line */
export function shellcheck(input: string, ...flags: readonly string[]): string {
  const { error, stdout, stderr } = spawnSync('shellcheck', [...flags, '-'], { input, encoding: 'utf8' })
  if (error) throw error
  return stdout + stderr
}
