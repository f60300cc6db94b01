/** No test starts a program that a machine may lack unless its file has asked whether it is there. */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { canRun } from './support/programs.ts'

const starts: Readonly<Record<string, (program: string) => unknown>> = {
  spawn: (program) => spawn(program),
  spawnSync: (program) => spawnSync(program),
  execFile: (program) => execFile(program),
  'execFile as a promise': (program) => promisify(execFile)(program),
  execFileSync: (program) => execFileSync(program),
}

it.each(Object.entries(starts))('%s refuses a program that nobody has asked for', async (_, start) => {
  const startIt = async () => {
    await start('xmllint')
  }
  await expect(startIt()).rejects.toThrow(
    "xmllint may be missing on a machine: ask lacks('xmllint') in the test file, and skip the test",
  )
})

it('refuses a shell that a machine may lack by its path, too, and allows sh', () => {
  expect(() => spawnSync('/bin/bash')).toThrow('bash may be missing')
  expect(spawnSync('/bin/sh', ['-c', 'exit 3'])).toMatchObject({ status: 3 })
  expect(spawnSync('sha256sum', ['--version'])).toMatchObject({ status: 0 })
})

it('allows a program that the file has asked for', () => {
  expect(canRun('no-such-program')).toBe(false)
  expect(spawnSync('no-such-program').error).toMatchObject({ code: 'ENOENT' })
})
