/** Where the repository is, and where a test may write. Starts nothing, so that quick tests can import it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

export type TempFolder = ReturnType<typeof makeTempFolder>

export function makeTempFolder(parent = tmpdir()) {
  const path = mkdtempSync(join(parent, 'fundpress-test-'))
  return {
    path,
    file: (name: string) => join(path, name),
    remove: () => {
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** The same for a test file, which removes it at its end. */
export function tempFolder() {
  const folder = makeTempFolder()
  afterAll(folder.remove)
  return folder
}
