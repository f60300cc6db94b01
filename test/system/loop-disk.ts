/**
 * A small disk of its own, in a file that the system mounts, and what a power cut at any moment would leave of it: a copy
 * of the file. What the file system has not written yet, is not in the copy. Mounting the copy replays its journal, as the
 * next start of the machine would.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  constants,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

export type LoopDisk = NonNullable<ReturnType<typeof loopDisk>>

/** @param parent a folder for its files @returns null where this machine lets nobody mount a disk */
export function loopDisk(parent: string, mebibytes: number) {
  const image = join(parent, 'disk.img')
  const path = join(parent, 'disk')
  mkdirSync(path)
  writeFileSync(image, '')
  truncateSync(image, mebibytes * 2 ** 20)
  const owner = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`
  // The tests write as the user who runs them. Names reach the disk within a second, contents within half a minute.
  const made = asRoot('mkfs.ext4', '-q', '-F', '-E', `root_owner=${owner},lazy_itable_init=0`, image)
  if (!made || !asRoot('mount', '-o', 'loop,commit=1', image, path)) return null
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const mounted = mounts.find((line) => line.split(' ')[1] === path) ?? ''
  const device = /\/dev\/(loop\d+)/.exec(mounted)?.[1] ?? ''
  return {
    /** Where it is mounted. */
    path,
    /** What is on the disk now, and nothing that is on its way: a file. */
    cutPower: (name: string) => {
      const copy = join(parent, name)
      for (let attempt = 0; attempt < 100; attempt++) {
        const before = writesTo(device)
        copyFileSync(image, copy, constants.COPYFILE_FICLONE)
        // What was written while it was copied could be in it in part.
        if (before.underWay === 0 && JSON.stringify(writesTo(device)) === JSON.stringify(before)) return copy
      }
      throw new Error(`${image} was never at rest`)
    },
    remove: () => {
      if (!asRoot('umount', path)) asRoot('umount', '--lazy', path)
    },
  }
}

/** Mounts what a power cut has left, for as long as the work takes. The image is gone after that. */
export function withDiskAfterPowerCut<T>(image: string, work: (path: string) => T): T {
  const path = `${image}-mounted`
  mkdirSync(path)
  if (!asRoot('mount', '-o', 'loop', image, path)) throw new Error(`${image} cannot be mounted`)
  try {
    return work(path)
  } finally {
    asRoot('umount', path)
    rmSync(path, { recursive: true })
    rmSync(image)
  }
}

/** Source: Documentation/block/stat.rst of Linux. */
function writesTo(device: string) {
  const fields = readFileSync(`/sys/block/${device}/stat`, 'utf8').trim().split(/\s+/).map(Number)
  return { writes: fields[4], sectors: fields[6], flushes: fields[15], underWay: fields[8] }
}

function asRoot(...words: readonly string[]): boolean {
  const line = process.getuid?.() === 0 ? words : ['sudo', '-n', ...words]
  const [command = '', ...args] = line
  const env = { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` }
  return spawnSync(command, args, { stdio: 'ignore', env }).status === 0
}
