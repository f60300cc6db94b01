/** What of tonight depends on this machine: Node, free disk, the snapshot that is to be published, its addresses. */

import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { checksumsKey, manifestKey, readManifestHead, type ManifestHead } from '../snapshot/manifest.ts'
import { ok, problem, reasonOf, warning, type DoctorOptions, type Finding } from './doctor.ts'
import { describeLocalAddresses, type Addresses } from './local-address.ts'

/** Where no snapshot says what the next one takes. */
const usualBytes = 1e9
/** Of the lists that a publish keeps, for each object. */
const listBytes = 500

export async function* machineFindings(options: DoctorOptions): AsyncGenerator<Finding> {
  const { out, temporary, nodeVersion } = options
  yield nodeFinding(nodeVersion)
  const [finding, head] = await snapshotFinding(out)
  yield await diskFinding('disk for out', out, {
    // A build stands beside the snapshot before it takes its place; a file takes whole blocks.
    bytes: (blockBytes) => (head === null ? usualBytes : head.bytes + head.objects * blockBytes),
    files: head?.objects ?? 0,
    advice: 'make room, or choose another --out',
  })
  yield await diskFinding('disk for temp', temporary, {
    bytes: () => Math.max(1e8, (head?.objects ?? 0) * listBytes),
    files: 10,
    advice: 'make room, or set TMPDIR to another folder',
  })
  yield finding
  yield addressFinding(options.addresses)
}

function addressFinding(addresses: Addresses): Finding {
  const local = describeLocalAddresses(addresses)
  return local === null ? ok('baseUrl', addresses.baseUrl) : warning('baseUrl', local)
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 18))
    return problem('node', `Node ${version} is too old: install 22.18 or later, 24 is recommended`)
  if (major % 2 === 1)
    return warning('node', `Node ${version} is a version without long support: 24 is recommended`)
  return ok('node', `Node ${version}`)
}

interface Need {
  readonly bytes: (blockBytes: number) => number
  readonly files: number
  readonly advice: string
}

async function diskFinding(what: string, path: string, { bytes, files, advice }: Need): Promise<Finding> {
  const folder = nearestFolder(resolve(path))
  try {
    const disk = await statfs(folder)
    const free = disk.bavail * disk.bsize
    const needed = bytes(disk.bsize)
    const says = `${megabytes(free)} free in ${folder}, ${megabytes(needed)} needed`
    if (free < needed) return problem(what, `${says}: ${advice}`)
    // File systems without a fixed number of files say 0.
    if (disk.files > 0 && disk.ffree < files)
      return problem(what, `${disk.ffree} more files fit into ${folder}, ${files} are needed: ${advice}`)
    return free < 2 * needed ? warning(what, `${says}, that is scarce: ${advice}`) : ok(what, says)
  } catch (error) {
    return problem(what, `${folder} cannot be looked at: ${reasonOf(error)}`)
  }
}

function nearestFolder(path: string): string {
  let folder = path
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

const megabytes = (bytes: number) =>
  `${(bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 0 })} MB`

async function snapshotFinding(out: string): Promise<readonly [Finding, ManifestHead | null]> {
  const what = 'snapshot'
  if (!existsSync(join(out, manifestKey)))
    return [ok(what, `none in ${out} yet: \`fundpress build\` makes one`), null]
  try {
    const head = await readManifestHead(out)
    if (!existsSync(join(out, checksumsKey)))
      return [problem(what, `${join(out, checksumsKey)} is missing: build the snapshot again`), head]
    return [ok(what, `${head.snapshot} in ${out}, ${head.objects.toLocaleString('en-US')} objects`), head]
  } catch (error) {
    return [problem(what, `${reasonOf(error)}: build it again`), null]
  }
}
