/**
 * The image of `templates/container`: its Dockerfile, read, and what it makes, built and run without Docker. Debian comes from
 * mmdebstrap under the names of the official images, which nobody here can pull; buildah does the steps; and Linux's own
 * namespaces run the result as its strictest user would: no rights, no capabilities, everything but /data, /tmp and /workdir read-only.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ended, type Ended } from '../cli/run.ts'
import { execute, packCheckout } from './package.ts'
import { repository } from './product.ts'
import { isInPath } from './programs.ts'

export const dockerfile = join(repository, 'templates/container/Dockerfile')

/** The instructions of a Dockerfile: `FROM`, and what it is given. Continued lines are one. */
export const instructionsOf = (text: string): readonly (readonly [name: string, rest: string])[] =>
  text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1)])

/** Only root can make the root folder of another system. */
const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '--non-interactive', '--preserve-env']

/** What packs the checkout, and what makes the image and enters it. */
const programs = [
  ...['bash', 'find', 'jq', 'tar', 'xargs'],
  ...['buildah', 'kill', 'mmdebstrap', 'nsenter', 'setpriv', 'setsid', 'unshare'],
  ...asRoot.slice(0, 1),
]
export const canBuild = programs.filter((program) => !isInPath(program)).length === 0

/** What the image says about a run of it, in Docker's words. */
export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly WorkingDir: string
  readonly Healthcheck: { readonly Test: readonly string[] }
  readonly Labels: Readonly<Record<string, string>>
}

interface Surroundings {
  /** Further variables of the environment, `NAME=value`. */
  readonly env?: readonly string[]
  /** Whether the volume /data can be written to. */
  readonly data?: 'ro' | 'rw'
}

export type Image = Awaited<ReturnType<typeof buildImage>>

/**
 * Builds the image as a release does: from the packed package and the lock file.
 * @param folder nothing else is in it; {@link removeImage} removes it
 * @param args of the Dockerfile
 */
export async function buildImage(folder: string, args: Readonly<Record<string, string>>) {
  const file = (name: string) => join(folder, name)
  const buildah = (...words: readonly string[]) => runBuildah(folder, ...words)

  const debian = makeDebian(file('debian.tar'))
  for (const name of ['context', 'data', 'workdir']) mkdirSync(file(name))
  copyFileSync((await packCheckout()).tarball, file('context/package.tgz'))
  copyFileSync(join(repository, 'package-lock.json'), file('context/package-lock.json'))
  makeNode(file('node'))
  // The images below stand for the pinned ones: they have other digests.
  writeFileSync(file('Dockerfile'), readFileSync(dockerfile, 'utf8').replaceAll(/@sha256:[0-9a-f]{64}/g, ''))
  await debian

  const base = buildah('from', 'scratch')
  buildah('add', '--quiet', base, file('debian.tar'), '/')
  buildah('commit', '--quiet', base, 'docker.io/library/debian:trixie-slim')
  buildah('copy', '--quiet', base, file('node'), '/usr/local')
  buildah('commit', '--quiet', base, 'docker.io/library/node:24-trixie-slim')

  const certificates = process.env['NODE_EXTRA_CA_CERTS']
  const npm = (key: string) => execute('npm', ['config', 'get', key], folder).trim()
  const authority = certificates === undefined ? '' : 'cafile=/tmp/authority.crt\n'
  writeFileSync(
    file('npmrc'),
    `registry=${npm('registry')}\nprefer-offline=true\ncache=/tmp/npm\n${authority}`,
  )
  buildah(
    ...['build', '--isolation', 'chroot', '--pull=never', '--format', 'docker', '--tag', 'fundpress'],
    ...['--secret', `id=npmrc,src=${file('npmrc')}`, '--volume', `${npm('cache')}:/tmp/npm:O`],
    ...(certificates === undefined ? [] : ['--volume', `${certificates}:/tmp/authority.crt:ro`]),
    ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...['--file', file('Dockerfile'), file('context')],
  )
  const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'fundpress')) as {
    readonly Docker: { readonly config: ImageConfig }
  }
  const { config } = Docker
  const at = buildah('mount', buildah('from', '--pull=never', 'fundpress'))
  root('chown', config.User, file('data'), file('workdir'))

  const startCommand = (
    words: readonly string[],
    { env = [], data = 'rw' }: Surroundings = {},
  ): ChildProcess => {
    const [user = '', group = ''] = config.User.split(':')
    const drop = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all']
    const become = ['setpriv', `--reuid=${user}`, `--regid=${group}`, ...drop]
    const surroundings = ['env', '-i', `--chdir=${config.WorkingDir}`, ...config.Env, ...env]
    const apart = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private']
    const enter = ['unshare', ...apart, 'sh', '-euc', mountAndEnter, 'sh', at, folder, data]
    const [program = '', ...rest] = [...asRoot, ...enter, ...become, ...surroundings, ...words]
    return spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  }
  return {
    config,
    /** What all of its files weigh. */
    bytes: Number(
      root('sh', '-c', `find ${at} -xdev -type f -printf '%s\\n' | awk '{ sum += $1 } END { print sum }'`),
    ),
    /** Starts the program, `docker run IMAGE <words>`. */
    start: (words: readonly string[], surroundings?: Surroundings) =>
      startCommand([...config.Entrypoint, ...words], surroundings),
    /** Runs another command instead of the program. */
    run: (words: readonly string[]): Promise<Ended> => ended(startCommand(words)),
    /** Runs the health check in a running container. */
    askHealth: (child: ChildProcess, env: readonly string[] = []): Promise<Ended> => {
      const inside = ['nsenter', '--target', `${firstProcess(child)}`, '--mount', '--pid', '--root', '--wd']
      const [, ...test] = config.Healthcheck.Test
      const [program = '', ...rest] = [...asRoot, ...inside, 'env', '-i', ...config.Env, ...env, ...test]
      return ended(spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] }))
    },
    /** What `docker stop` does first. */
    terminate: (child: ChildProcess): void => {
      root('kill', '-TERM', `${firstProcess(child)}`)
    },
  }
}

/** Also one that could not be built to its end. */
export function removeImage(folder: string): void {
  runBuildah(folder, 'umount', '--all')
  root('rm', '-rf', folder)
}

function root(command: string, ...words: readonly string[]): string {
  const [program = '', ...rest] = [...asRoot, command, ...words]
  return execute(program, rest, '/')
}

/** With a store of its own below the folder. */
const runBuildah = (folder: string, ...words: readonly string[]): string =>
  root(
    'buildah',
    '--root',
    join(folder, 'storage'),
    '--runroot',
    join(folder, 'storage-run'),
    ...words,
  ).trim()

/** $1: the image's root folder; $2: what holds data/ and workdir/; $3: `ro` or `rw`, for data/. The rest is the command. */
const mountAndEnter = `
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount -t proc proc "$1/proc"
mount -t tmpfs tmpfs "$1/dev"
for name in null urandom zero; do
  touch "$1/dev/$name"
  mount --bind "/dev/$name" "$1/dev/$name"
done
mount -t tmpfs tmpfs "$1/tmp"
mount --bind "$2/data" "$1/data"
mount --bind "$2/workdir" "$1/workdir"
if [ "$3" = ro ]; then mount -o remount,bind,ro "$1/data"; fi
root=$1
shift 3
exec chroot "$root" "$@"`

/** Debian without manuals and languages, as the official slim image is. */
async function makeDebian(tar: string): Promise<void> {
  const unneeded = ['doc', 'info', 'locale', 'man'].map(
    (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  )
  // At an error mmdebstrap sends SIGHUP to its process group, which would be that of the whole test run.
  const [program = '', ...rest] = [
    ...asRoot,
    'setsid',
    '--wait',
    'mmdebstrap',
    '--quiet',
    '--variant=minbase',
    ...unneeded,
  ]
  await promisify(execFile)(program, [...rest, 'trixie', tar])
}

/** What the official image of Node has in /usr/local: the pinned Node, and the npm of this machine. */
function makeNode(folder: string): void {
  const npm = execute('sh', ['-c', 'readlink -f "$(command -v npm)"'], repository).trim()
  for (const name of ['bin', 'lib/node_modules']) mkdirSync(join(folder, name), { recursive: true })
  copyFileSync(join(repository, 'node_modules/node/bin/node'), join(folder, 'bin/node'))
  execute('cp', ['-r', dirname(dirname(npm)), join(folder, 'lib/node_modules/npm')], folder)
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'bin/npm'))
}

/** The number that the container's process 1 has outside. */
function firstProcess(child: ChildProcess): number {
  let pid = child.pid ?? 0
  const status = () => readFileSync(`/proc/${pid}/status`, 'utf8')
  while (!/^NSpid:.*\t1$/m.test(status()))
    pid = Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
  return pid
}
