/** Where everything that a run of the tests writes lies: whatever a killed program leaves there goes at the end. */

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export default function makeTemporaryFolder(): () => void {
  // Snapshots are many small files: in memory they cost half, where there is room for all that the tests write.
  const folder = mkdtempSync(join(hasRoom('/dev/shm') ? '/dev/shm' : tmpdir(), 'fundpress-tests-'))
  // Some programs are run as another user.
  chmodSync(folder, 0o1777)
  process.env['TMPDIR'] = folder
  return () => {
    reportMissing()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** A line for each program that tests have missed: the program, and the path of their file. */
export const missingPrograms = () => join(tmpdir(), 'missing-programs')

/** Says what a run could not test here. */
function reportMissing(): void {
  if (!existsSync(missingPrograms())) return
  const lines = new Set(readFileSync(missingPrograms(), 'utf8').trimEnd().split('\n'))
  const programs = [...lines].map((line) => line.replace(/\t.*/, ''))
  for (const program of [...new Set(programs)].sort()) {
    const files = programs.filter((one) => one === program).length
    process.stdout.write(`skipped without ${program}: tests in ${files} ${files === 1 ? 'file' : 'files'}\n`)
  }
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > 4 * 2 ** 30
}
