/** The package as npm makes it, and npm as a user of it would run it. */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { cleanEnvironment } from '../cli/run.ts'
import { readWorkflow } from './github/files.ts'
import { repository } from './product.ts'

/** The environment of a user with this Node, without what an npm around the tests has set. */
export function userEnvironment(): Record<string, string | undefined> {
  const isOfNpm = (name: string) => /^npm_(lifecycle|package|config_local)/.test(name)
  const kept = Object.entries(cleanEnvironment()).filter(([name]) => !isOfNpm(name))
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  return { ...Object.fromEntries(kept), PATH: path }
}

export const execute = (command: string, args: readonly string[], cwd: string, env: Env = {}): string =>
  execFileSync(command, args, { cwd, env: { ...userEnvironment(), ...env }, encoding: 'utf8', stdio: 'pipe' })
type Env = Readonly<Record<string, string>>

/** The release that the package names as its own. */
export const packedRelease = { repository: 'acme/fundpress', commit: /^[0-9a-f]{40}$/ }

/** A copy of the checkout, and the package that was made in it, beside which the other files of the release lie. */
interface Packed {
  readonly checkout: string
  readonly tarball: string
}

/**
 * {@link pack}, once in a run of the tests: the first that asks makes it, in whatever process. Nobody may change what is there.
 * @throws {Error} in each process, if it could not be made
 */
export async function packCheckout(): Promise<Packed> {
  const folder = join(tmpdir(), 'packed')
  const result = join(folder, 'result.json')
  // Undefined if somebody has begun already.
  const isFirst = mkdirSync(folder, { recursive: true }) !== undefined
  if (isFirst) {
    writeFileSync(`${result}.next`, JSON.stringify(tryToPack(folder)))
    renameSync(`${result}.next`, result)
  }
  while (!existsSync(result)) await setTimeout(100)
  const { packed, failure } = JSON.parse(readFileSync(result, 'utf8')) as ReturnType<typeof tryToPack>
  if (packed === undefined) throw new Error(failure)
  return packed
}

function tryToPack(folder: string): { readonly packed?: Packed; readonly failure?: string } {
  try {
    return { packed: pack(folder) }
  } catch (error) {
    return { failure: `the checkout could not be packed: ${String(error)}` }
  }
}

/**
 * Packs a copy of the checkout, because packing makes and removes dist/, which others may be at. It runs the steps by which a
 * release is packed, but the installation of packages.
 * It does not check types: that takes most of the time, and `npm run types` checks the same files.
 */
function pack(folder: string): Packed {
  const checkout = join(folder, 'checkout')
  const configs = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']
  for (const name of ['src', 'templates', '.github', 'LICENSE', 'README.md', ...configs])
    cpSync(join(repository, name), join(checkout, name), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(checkout, 'node_modules'), 'junction')
  const config = join(checkout, 'tsconfig.build.json')
  writeFileSync(config, readFileSync(config, 'utf8').replace('"outDir"', '"noCheck": true, $&'))
  const git = (...args: readonly string[]) => execute('git', args, checkout)
  git('init', '--quiet')
  git('remote', 'add', 'origin', `https://github.com/${packedRelease.repository}.git`)
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
  git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'a release')
  const { steps = [] } = readWorkflow(join(checkout, '.github/workflows/release.yml')).jobs['pack'] ?? {}
  const env = {
    GITHUB_OUTPUT: '/dev/null',
    GITHUB_REF_NAME: 'v1.0.0',
    GITHUB_REPOSITORY: packedRelease.repository,
    GITHUB_SERVER_URL: 'https://github.com',
  }
  for (const { run } of steps)
    if (run !== undefined && run !== 'npm ci') execute('bash', ['-e', '-c', run], checkout, env)
  const release = join(checkout, 'release')
  const [tarball = ''] = readdirSync(release).filter((name) => name.endsWith('.tgz'))
  return { checkout, tarball: join(release, tarball) }
}
