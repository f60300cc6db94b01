/** Which release this program is: what a company's workflows name by version and commit. */

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Release {
  /** `owner/name` on GitHub. */
  readonly repository: string
  readonly version: string
  /** 40 hexadecimal digits. */
  readonly commit: string
  /** The package's name on npm. Absent, unless this was packed by the workflow that publishes it there. */
  readonly package?: string
}

/** Three folders up, from src/cli/setup and from dist/cli/setup alike. */
const root = fileURLToPath(new URL('../../..', import.meta.url))
/** `prepack` writes it: the package has no repository to ask. */
const releaseFile = join(root, 'dist/release.json')

/** @returns null in a package that was made without git, and in a checkout that does not come from GitHub */
export function findRelease(): Release | null {
  // A checkout: never the repository that a package was installed into.
  if (existsSync(join(root, '.git'))) return readCheckout()
  return existsSync(releaseFile) ? (JSON.parse(readFileSync(releaseFile, 'utf8')) as Release) : null
}

/** @param action `owner/name@version#commit`, as an answer @returns null for another text */
export function parseRelease(action: string): Release | null {
  const [, repository, version, commit] = /^([^@]+)@v?([^#]+)#(\w+)$/.exec(action) ?? []
  if (repository === undefined || version === undefined || commit === undefined) return null
  return { repository, version, commit }
}

/** For `prepack`, after the compiler has made the folder. */
export function writeRelease(): void {
  const release = findRelease()
  if (release !== null) writeFileSync(releaseFile, `${JSON.stringify(release)}\n`)
}

interface Manifest {
  readonly name: string
  readonly version: string
  /** `release.yml` sets it: a fork that packs for itself must not name a package of others. */
  readonly repository?: object
}

function readCheckout(): Release | null {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', root, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  try {
    const [, repository] =
      /github\.com[:/]([\w-]+\/[\w.-]+?)(?:\.git)?$/.exec(git('remote', 'get-url', 'origin')) ?? []
    if (repository === undefined) return null
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
    const { name, version } = manifest
    const release = { repository, version, commit: git('rev-parse', 'HEAD') }
    return manifest.repository === undefined ? release : { ...release, package: name }
  } catch {
    // No git, or no remote.
    return null
  }
}
