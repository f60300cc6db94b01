/** The release of this program, which a company's workflows name by version and commit. */

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
  /** The name on npm. Only the workflow that publishes there sets it. */
  readonly package?: string
}

/** Three folders above src/extensions/setup and dist/extensions/setup alike. */
const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Written by `prepack`, because the package has no repository to ask. */
const releaseFile = join(root, 'dist/release.json')

/** Null in a package that was made without git, and in a checkout that is not from GitHub. */
export function findRelease(): Release | null {
  // Only the checkout's own repository, never one that a package was installed into.
  if (existsSync(join(root, '.git'))) return readCheckout()
  return existsSync(releaseFile) ? (JSON.parse(readFileSync(releaseFile, 'utf8')) as Release) : null
}

/** @param action `owner/name@version#commit`, as an answer @returns null for another text */
export function parseRelease(action: string): Release | null {
  const [, repository, version, commit] = /^([^@]+)@v?([^#]+)#(\w+)$/.exec(action) ?? []
  if (repository === undefined || version === undefined || commit === undefined) return null
  return { repository, version, commit }
}

export function writeRelease(): void {
  const release = findRelease()
  if (release !== null) writeFileSync(releaseFile, `${JSON.stringify(release)}\n`)
}

interface Manifest {
  readonly name: string
  readonly version: string
  /** Set by `release.yml`, because a fork that packs for itself must not name a package of others. */
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
