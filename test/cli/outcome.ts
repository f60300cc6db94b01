/** What a command of a test must do. */
import { expect } from 'vitest'
import type { Run } from '../support/product.ts'

type Reason = string | RegExp

/** Expects a command to fail for reasons that it writes to stderr, and to print nothing else. */
export async function expectFailure(command: Promise<Run>, reason: Reason | readonly Reason[], code = 1) {
  const done = await command
  expect(done).toMatchObject({ code, stdout: '' })
  for (const one of [reason].flat()) expect(done.stderr).toMatch(one)
}

/** Nothing but one line, in which the program names itself. */
export const oneLine = /^fundpress: .+\n$/

/** Expects a command to succeed without a warning. @returns what it printed */
export async function expectSuccess(command: Promise<Run>): Promise<string> {
  const { code, stdout, stderr } = await command
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}
