/** Public data beside the checkout, which is not copied into the project: `../shared/data`. */
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect } from 'vitest'
import { repository } from './folders.ts'
import { missingPrograms } from './temporary.ts'

/**
 * A folder of it. The tests of this file, or of the suite around, are skipped without it: the end of the run names it, and counts the
 * files that have asked.
 * @returns its path, whether it is there or not
 */
export function needsShared(name: string): string {
  const path = join(repository, '../shared/data', name)
  const isThere = existsSync(path)
  if (!isThere)
    appendFileSync(missingPrograms(), `../shared/data/${name}\t${expect.getState().testPath ?? ''}\n`)
  beforeEach(({ skip }) => {
    skip(!isThere, `needs ../shared/data/${name}`)
  })
  return path
}
