/** Disks that are full, or closed: a clear reason, the old snapshot whole, and room for the next try. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ended, launcher, run, runAlone, type Ended } from '../cli/run.ts'
import { asOf, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { userWithoutRights } from '../support/other-user.ts'
import { tempFolder } from '../support/product.ts'
import { canRun } from '../support/programs.ts'
import { hashesOf } from '../support/tree.ts'

const folder = tempFolder()
const disk = folder.file('disk')
const args = (db: string, out: string) => `build --db ${db} --out ${out} --as-of ${asOf} --quiet`.split(' ')
const build = (db: string, out: string): Promise<Ended> => run(args(db, out), { cwd: folder.path })

let isMounted = false

beforeAll(() => {
  chmodSync(folder.path, 0o755)
  makeDatabase(folder.file('one.sqlite'), (insert) => insertGood(insert, isinOf(0)))
  mkdirSync(disk)
  isMounted = canRun('mount', '-t', 'tmpfs', '-o', 'size=4m,mode=0777', 'tmpfs', disk)
})
afterAll(() => {
  if (isMounted) canRun('umount', '--lazy', disk)
})

const freeBytes = (): number => statfsSync(disk).bavail * statfsSync(disk).bsize

describe('a build on a full disk', () => {
  beforeEach(async ({ skip }) => {
    if (!isMounted) skip('this machine lets nobody mount a small disk')
    for (const name of readdirSync(disk)) rmSync(`${disk}/${name}`, { recursive: true })
    expect(await build('one.sqlite', 'disk/out')).toMatchObject({ code: 0, stderr: '' })
  })

  const reason =
    /^fundpress: \S*disk\/\S*: the disk is full: free some space[^\n]*; disk\/out is as it was[^\n]*\n$/

  it('says so wherever it runs out of space, and leaves the old snapshot and nothing else', async () => {
    const before = hashesOf(`${disk}/out`)
    const freeAtFirst = freeBytes()
    const needed = 4 * 1024 * 1024 - freeAtFirst
    const ends: (number | null)[] = []
    // Documents need as much as those that are there; lists of them are written beside and at the end.
    for (const share of [0, 0.2, 0.6, 1, 1.2, 1.4, 2]) {
      writeFileSync(`${disk}/filler`, Buffer.alloc(freeAtFirst - Math.floor(needed * share)))
      const { code, stdout, stderr } = await build('one.sqlite', 'disk/out')
      ends.push(code)
      expect({ stdout, stderr }).toEqual({
        stdout: '',
        stderr: code === 0 ? '' : expect.stringMatching(reason),
      })
      expect(readdirSync(disk).sort()).toEqual(['filler', 'out'])
      expect(hashesOf(`${disk}/out`)).toEqual(before)
    }
    expect({ first: ends.slice(0, 4), last: ends.at(-1) }).toEqual({ first: [1, 1, 1, 1], last: 0 })
  })
})

describe('a build without the right to write', () => {
  it('says where, and leaves the old snapshot', async ({ skip }) => {
    if (userWithoutRights === undefined) skip('only root can read this checkout')
    mkdirSync(folder.file('closed'))
    expect(await build('one.sqlite', 'closed/out')).toMatchObject({ code: 0 })
    chmodSync(folder.file('closed'), 0o555)
    const before = hashesOf(folder.file('closed/out'))
    for (const out of ['closed/out', 'closed/new/out']) {
      const { code, stderr } = await runAlone(args('one.sqlite', out), {
        cwd: folder.path,
        ...userWithoutRights,
      })
      expect(code).toBe(1)
      expect(stderr).toMatch(/^fundpress: \S*closed\/\S*: no right to write there; [^\n]*\n$/)
    }
    expect(hashesOf(folder.file('closed/out'))).toEqual(before)
    expect(readdirSync(folder.file('closed'))).toEqual(['out'])
    chmodSync(folder.file('closed'), 0o755)
  })
})

describe('a build with a limit for the size of files', () => {
  it('names the limit, and leaves nothing', async () => {
    const line = args('one.sqlite', 'limited').join(' ')
    const limited = `ulimit -f 4; exec "$0" "$1" ${line}`
    const options = { cwd: folder.path }
    const { code, stderr } = await ended(spawn('sh', ['-c', limited, process.execPath, launcher], options))
    const said = /^fundpress: limited: a file grew beyond the limit for files \(ulimit -f\); [^\n]*\n$/
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(said) })
    expect(readdirSync(folder.path).filter((name) => name.includes('limited'))).toEqual([])
  })
})
