/** A folder as a store, beyond what all stores share (store.test.ts): its files, its lock, its refusals. */
import {
  closeSync,
  openSync,
  statfsSync,
  truncateSync,
  writeSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
} from 'node:fs'
import { renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openFolder, type FolderStore } from '../../src/core/bucket/store/folder.ts'
import { readSmall } from '../../src/core/bucket/store/read.ts'
import { run, runAlone } from '../cli/run.ts'
import { userWithoutRights } from '../support/other-user.ts'
import { tempFolder } from '../support/product.ts'
import { canRun, lacks } from '../support/programs.ts'
import { filesIn } from '../support/tree.ts'

const folder = tempFolder()
let number = 0
/** A new one for each test. */
let bucket: string
let store: FolderStore
const file = (key: string) => `${bucket}/${key}`

beforeEach(() => {
  bucket = folder.file(`bucket-${++number}`)
  store = openFolder({ bucket: `file://${bucket}`, prefix: '' })
  return () => {
    store.close()
  }
})

function object(key: string, text: string) {
  const body = Buffer.from(text)
  const sha256 = createHash('sha256').update(body).digest('hex')
  return { key, body, sha256, type: 'text/plain', cacheControl: 'no-cache' }
}
const put = (key: string, text = key) => store.put(object(key, text))

it('writes objects as plain files with the usual rights', async () => {
  await put('blue/api/v1/x/index.json', '{}')
  expect(readFileSync(file('blue/api/v1/x/index.json'), 'utf8')).toBe('{}')
  writeFileSync(folder.file('usual'), '')
  const modeOf = (path: string) => statSync(path).mode & 0o777
  expect(modeOf(file('blue/api/v1/x/index.json'))).toBe(modeOf(folder.file('usual')))
  expect(filesIn(bucket)).toEqual(['.fundpress/lock', '.fundpress/reserve', 'blue/api/v1/x/index.json'])
})

it('gives each version of an object another ETag, however fast and equally long they are, and whatever the clock says', async () => {
  const etags = new Set<string>()
  for (let version = 100; version < 200; version++) etags.add((await put('live.json', String(version))).etag)
  expect(etags.size).toBe(100)
  const inAnHour = Date.now() / 1000 + 3600
  utimesSync(file('live.json'), inAnHour, inAnHour)
  const before = statSync(file('live.json'), { bigint: true }).mtimeNs
  await put('live.json', '200')
  expect(statSync(file('live.json'), { bigint: true }).mtimeNs).toBeGreaterThan(before)
})

it('changes nothing while another process holds the lock, and then asks whether it still may', async () => {
  await put('a', 'old')
  const other = new Database(file('.fundpress/lock'), { timeout: 0 })
  other.exec('BEGIN EXCLUSIVE')
  let isFresh = true
  const assertFresh = () => {
    if (!isFresh) throw new Error('the lease was lost')
  }
  const late = store.put(object('a', 'late'), undefined, { assertFresh })
  const inTime = store.put(object('b', 'in time'))
  const deleted = store.delete(['a'], { assertFresh })
  const failures = Promise.allSettled([late, deleted])
  await setTimeout(100)
  expect(readFileSync(file('a'), 'utf8')).toBe('old')
  expect(existsSync(file('b'))).toBe(false)
  isFresh = false
  other.exec('ROLLBACK')
  other.close()
  await inTime
  const reasons = (await failures).map((one) => one.status === 'rejected' && (one.reason as Error).message)
  expect(reasons).toEqual(['the lease was lost', 'the lease was lost'])
  expect(readFileSync(file('a'), 'utf8')).toBe('old')
  expect(readFileSync(file('b'), 'utf8')).toBe('in time')
  expect(readdirSync(file('.fundpress')).sort()).toEqual(['lock', 'reserve'])
})

it.runIf(process.platform === 'linux')(
  'flushes all objects before a key at the root, also if another put has begun to, but not before a renewal',
  async () => {
    const bin = folder.file('bin')
    const begun = folder.file('begun')
    const isReleased = folder.file('released')
    mkdirSync(bin)
    const wait = `echo > ${begun}; until [ -e ${isReleased} ]; do /bin/sleep 0.01; done`
    writeFileSync(`${bin}/sync`, `#!/bin/sh\n${wait}\n`, { mode: 0o755 })
    vi.stubEnv('PATH', bin)
    try {
      await put('blue/a')
      const first = put('journal.json', 'torn')
      await expect.poll(() => existsSync(begun)).toBe(true)
      const flip = put('live.json')
      await store.put(object('journal.json', 'torn, still'), undefined, { isRenewal: true })
      await setTimeout(200)
      expect(existsSync(file('live.json'))).toBe(false)
      writeFileSync(isReleased, '')
      await Promise.all([first, flip])
      expect(existsSync(file('live.json'))).toBe(true)
    } finally {
      writeFileSync(isReleased, '')
      vi.unstubAllEnvs()
    }
  },
)

it('removes what a killed process was writing, an hour later', async () => {
  mkdirSync(file('.fundpress'), { recursive: true })
  for (const name of ['old.tmp', 'new.tmp']) writeFileSync(file(`.fundpress/${name}`), 'half')
  utimesSync(file('.fundpress/old.tmp'), 0, Date.now() / 1000 - 3700)
  await put('a')
  expect(readdirSync(file('.fundpress')).sort()).toEqual(['lock', 'new.tmp', 'reserve'])
  const listed: string[] = []
  for await (const { key } of store.list('')) listed.push(key)
  expect(listed).toEqual(['a'])
  expect(await store.folders('')).toEqual([])
})

it.each(['a/../../x', '/x', 'a//b', './a', '', '.fundpress/lock', 'a\0b'])(
  'has no object with the key %j',
  async (key) => {
    expect(await store.get(key)).toBeNull()
    await expect(put(key)).rejects.toThrow('cannot be the path of a file below the folder')
    await expect(store.delete([key])).rejects.toThrow('cannot be the path of a file below the folder')
  },
)

describe('follows no symbolic link below its root', () => {
  /** Beside the bucket, and reached by a link at some place in it. */
  let victim: string
  const asItWas = ['a/1', 'a/b/2']

  beforeEach(async () => {
    victim = folder.file(`victim-${number}`)
    for (const key of asItWas) {
      await put(`green/${key}`)
      mkdirSync(dirname(`${victim}/${key}`), { recursive: true })
      writeFileSync(`${victim}/${key}`, 'mine')
    }
    return () => {
      expect(filesIn(victim)).toEqual(asItWas)
      for (const key of asItWas) expect(readFileSync(`${victim}/${key}`, 'utf8')).toBe('mine')
    }
  })
  const linkAt = (place: string, target: string) => {
    rmSync(file(place), { recursive: true })
    symlinkSync(target, file(place))
  }
  const list = async (prefix: string) => {
    for await (const { key } of store.list(prefix)) expect(key).not.toBe('')
  }

  it.each([
    ['the file', 'green/a/b/2', 'a/b/2'],
    ['a folder above', 'green/a', 'a'],
    ['a file that is nowhere', 'green/a/b/2', 'nowhere'],
  ])('if %s is one: every call says which, and changes nothing', async (_, place, target) => {
    linkAt(place, `${victim}/${target}`)
    writeFileSync(folder.file('source'), 'new')
    const refusal = `${file(place)} is a symbolic link, which is not followed here: remove it`
    const key = 'green/a/b/2'
    await expect(store.get(key)).rejects.toThrow(refusal)
    await expect(list('green/')).rejects.toThrow(refusal)
    await expect(put(key, 'new')).rejects.toThrow(refusal)
    await expect(store.putFile(folder.file('source'), object(key, 'new'))).rejects.toThrow(refusal)
    // To remove a link follows none.
    if (place === key) await store.delete([key])
    else await expect(store.delete([key])).rejects.toThrow(refusal)
    expect(lstatSync(file(place), { throwIfNoEntry: false })?.isSymbolicLink()).toBe(
      place === key ? undefined : true,
    )
  })

  it('if its own folder or its lock is one', async () => {
    store.close()
    const old = new Date(Date.now() - 7200_000)
    writeFileSync(folder.file('old.tmp'), 'mine')
    utimesSync(folder.file('old.tmp'), old, old)
    for (const [place, target] of [
      ['.fundpress/lock', 'a/1'],
      ['.fundpress', '..'],
    ] as const) {
      linkAt(place, `${victim}/${target}`)
      store = openFolder({ bucket: `file://${bucket}`, prefix: '' })
      await expect(put('blue/x')).rejects.toThrow(`${file(place)} is a symbolic link`)
      store.close()
    }
    expect(readFileSync(folder.file('old.tmp'), 'utf8')).toBe('mine')
  })

  it('nor does it name folders where one is a link: what is behind it may be served, and withdrawn', async () => {
    for (const folderOfDay of ['2026-11-19', '2026-11-20']) await put(`downloads/${folderOfDay}/a`)
    linkAt('downloads/2026-11-19', `${victim}/a`)
    await expect(store.folders('downloads/')).rejects.toThrow(
      `${file('downloads/2026-11-19')} is a symbolic link`,
    )
    expect(await store.folders('green/')).toEqual(['a'])
  })

  it('but its root may be one: readers follow it, and changes stay in the folder that it led to first', async () => {
    store.close()
    const other = folder.file(`other-${number}`)
    const live = folder.file(`live-${number}`)
    mkdirSync(`${other}/green/a`, { recursive: true })
    writeFileSync(`${other}/green/a/1`, 'other')
    symlinkSync(bucket, live)
    store = openFolder({ bucket: `file://${live}`, prefix: '' })
    await put('green/a/1', 'new')
    expect(readFileSync(file('green/a/1'), 'utf8')).toBe('new')
    symlinkSync(other, `${live}.next`)
    renameSync(`${live}.next`, live)
    expect((await readSmall(store, 'green/a/1'))?.text).toBe('other')
    await put('green/a/1', 'newer')
    expect(readFileSync(file('green/a/1'), 'utf8')).toBe('newer')
    await expect(put('live.json')).rejects.toThrow(`${live} leads to another folder than before`)
    expect(readFileSync(`${other}/green/a/1`, 'utf8')).toBe('other')
  })
})

it('refuses a body with another digest, and leaves nothing behind', async () => {
  const wrong = { ...object('a', 'x'), body: Buffer.from('y') }
  await expect(store.put(wrong)).rejects.toThrow('build the snapshot again')
  writeFileSync(folder.file('source'), 'y')
  await expect(store.putFile(folder.file('source'), object('a', 'x'))).rejects.toThrow(
    'build the snapshot again',
  )
  expect(filesIn(bucket)).toEqual(['.fundpress/lock', '.fundpress/reserve'])
})

describe('says what is wrong, and what to do', () => {
  it('if the folder above is missing, or a file is in its place', async () => {
    const open = (path: string) => () => openFolder({ bucket: `file://${folder.path}/${path}`, prefix: '' })
    expect(open('far/away')).toThrow(
      `file://${folder.path}/far/away: there is no folder ${folder.path}/far: make it (mkdir -p ${folder.path}/far)`,
    )
    writeFileSync(folder.file('file'), 'x')
    expect(open('file')).toThrow(`${folder.path}/file is a file: name a folder`)
    await put('a')
    await expect(put('a/b')).rejects.toThrow('a file is where a folder must be: remove it (ENOTDIR)')
    await put('c/d')
    await expect(put('c')).rejects.toThrow('a folder is where a file must be: remove it (EISDIR)')
  })

  it.skipIf(userWithoutRights === undefined)('if this user may not write there', async () => {
    await put('a')
    chmodSync(folder.path, 0o755)
    for (const path of [bucket, file('.fundpress')]) chmodSync(path, 0o555)
    const args = ['prune', '--yes', '--bucket', `file://${bucket}`]
    const { code, stderr } = await runAlone(args, { cwd: '/', ...userWithoutRights })
    const reason = 'this user may not do that: change the owner or the rights of the folder (chown, chmod)'
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(reason) as string })
    for (const path of [bucket, file('.fundpress')]) chmodSync(path, 0o755)
  })

  it('if the disk is full, and leaves what was there', async ({ skip }) => {
    mkdirSync(bucket)
    const isMounted = canRun('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', bucket)
    if (!isMounted) skip('this machine lets nobody mount a small disk')
    try {
      await put('live.json', 'old')
      const large = { ...object('live.json', 'x'.repeat(2 ** 21)) }
      await expect(store.put(large)).rejects.toThrow(
        /^file:.*: could not write live\.json: (\S+: )?the disk is full: make room, and publish again \(ENOSPC\)$/,
      )
      expect(filesIn(bucket)).toEqual(['.fundpress/lock', 'live.json'])
      expect(readFileSync(file('live.json'), 'utf8')).toBe('old')
    } finally {
      store.close()
      canRun('umount', '--lazy', bucket)
    }
  })

  it('before a publish, if there is no room for it; what is replaced gives its room back', async () => {
    const bytes = 1.5e13
    const roomFor = (...keys: readonly string[]) =>
      store.assertRoom?.(Readable.from(keys.map((key) => ({ key, bytes }))))
    await put('blue/large')
    truncateSync(file('blue/large'), bytes)
    await roomFor('blue/large')
    await expect(roomFor('blue/large', 'blue/other')).rejects.toThrow(
      /^file:.*: the disk is too full for this publish: [\d,]+ MB free in .*, 15,000,\d{3} MB needed \(\d+ MB of them stay free\): make room, or move the bucket to a larger disk. Nothing was uploaded$/,
    )
  })

  it('if the bucket is a folder, and a setting is for a store or leads out of it', async () => {
    const name = `file://${bucket}`
    const status = (...flags: string[]) => run(['status', '--bucket', name, ...flags], { cwd: folder.path })
    expect(await status('--region', 'eu-central-1')).toMatchObject({
      code: 2,
      stderr: `fundpress: bucket.name is the folder ${name}: it cannot have bucket.region, remove one of both\n`,
    })
    expect(await status('--prefix', 'a/../../x')).toMatchObject({
      code: 2,
      stderr: `fundpress: bucket.prefix is a/../../x: it must be the path of a folder below ${name}\n`,
    })
  })
})

describe('on a file system that can share blocks', () => {
  const isLacking = lacks('mkfs.xfs', '-V')

  it('shares them with the snapshot, and a change of one leaves the other as it is', ({ skip }) => {
    skip(isLacking, 'needs mkfs.xfs')
    const image = folder.file('xfs.img')
    const place = folder.file('xfs')
    mkdirSync(place)
    writeFileSync(image, '')
    truncateSync(image, 320 * 2 ** 20)
    expect(spawnSync('mkfs.xfs', ['-q', image]).status).toBe(0)
    skip(!canRun('mount', '-o', 'loop', image, place), 'this user may not mount')
    return onMounted(place).finally(() => canRun('umount', place))
  })

  /** Room that is in use, in bytes, once all is written. */
  function usedIn(place: string): number {
    spawnSync('sync', ['-f', place])
    const { bfree, blocks, bsize } = statfsSync(place)
    return (blocks - bfree) * bsize
  }

  async function onMounted(place: string) {
    const sizes = { small: 4_000_000, large: 24_000_000 }
    const shared = openFolder({ bucket: `file://${place}/bucket`, prefix: '' })
    for (const [name, size] of Object.entries(sizes)) {
      const source = `${place}/${name}`
      const body = randomBytes(size)
      writeFileSync(source, body, { mode: 0o600 })
      const before = usedIn(place)
      const sha256 = createHash('sha256').update(body).digest('hex')
      const target = { key: `blue/${name}`, type: 'text/plain', cacheControl: 'no-cache', sha256 }
      await shared.putFile(source, target)
      const copy = `${place}/bucket/blue/${name}`
      expect(usedIn(place) - before, 'bytes more').toBeLessThan(size / 4)
      expect(statSync(copy).mode & 0o777).toBe(statSync(`${place}/bucket/.fundpress/lock`).mode & 0o777)
      expect(readFileSync(copy).equals(body)).toBe(true)
      const changed = openSync(source, 'r+')
      writeSync(changed, 'x'.repeat(5000), 0)
      closeSync(changed)
      expect(readFileSync(copy).equals(body)).toBe(true)
      await expect(shared.putFile(source, { ...target, key: 'blue/other' })).rejects.toThrow(
        'does not have the digest of the manifest',
      )
      expect(existsSync(`${place}/bucket/blue/other`)).toBe(false)
    }
    shared.close()
  }
})
