/** What lies below a root: links are not followed, also not if they come while somebody works there. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import {
  inFolderBelow,
  openBelow,
  openFolderBelow,
  openHandleBelow,
  realFolder,
} from '../../src/core/system/below.ts'
import { tempFolder } from '../support/product.ts'

const folder = tempFolder()
let number = 0
let root: string
let victim: string

beforeEach(() => {
  const own = folder.file(String(++number))
  mkdirSync(`${own}/bucket/a/b`, { recursive: true })
  mkdirSync(`${own}/victim/b`, { recursive: true })
  for (const one of ['bucket/a', 'victim']) writeFileSync(`${own}/${one}/b/file`, one)
  root = realFolder(`${own}/bucket`)
  victim = `${own}/victim`
})

// Elsewhere the system has no way to work in an open folder.
it.runIf(process.platform === 'linux')(
  'works in the folder that it has checked, whatever takes its place',
  () => {
    inFolderBelow(root, 'a/b', (at) => {
      renameSync(`${root}/a`, `${root}/aside`)
      symlinkSync(victim, `${root}/a`)
      writeFileSync(join(at, 'file'), 'new')
      writeFileSync(join(at, 'other'), 'new')
    })
    expect(readFileSync(`${root}/aside/b/file`, 'utf8')).toBe('new')
    expect(readFileSync(`${victim}/b/file`, 'utf8')).toBe('victim')
    expect(existsSync(`${victim}/b/other`)).toBe(false)
  },
)

it('makes the folders that are missing, but none behind a link', () => {
  inFolderBelow(root, 'a/c/d', (at) => writeFileSync(join(at, 'file'), 'new'), true)
  expect(readFileSync(`${root}/a/c/d/file`, 'utf8')).toBe('new')
  symlinkSync(victim, `${root}/link`)
  symlinkSync(`${victim}/gone`, `${root}/gone`)
  for (const link of ['link', 'gone'])
    expect(() => openFolderBelow(root, `${link}/c/d`, true)).toThrow(
      `${root}/${link} is a symbolic link, which is not followed here: remove it`,
    )
  expect(existsSync(`${victim}/c`)).toBe(false)
  expect(existsSync(`${victim}/gone`)).toBe(false)
})

it('names a folder by its path in errors, not by its number', () => {
  const write = () => inFolderBelow(root, 'a', (at) => writeFileSync(join(at, 'none/file'), ''))
  const path = `${root}/a/none/file`
  expect(write).toThrow(`ENOENT: no such file or directory, open '${path}'`)
  expect(write).toThrow(expect.objectContaining({ path }))
})

it('uses no folder any more after it was closed', () => {
  const open = openFolderBelow(root, 'a')
  open.close()
  open.close()
  expect(() => open.within((at) => at)).toThrow(`${root}/a is not in use any more`)
})

it('opens a pipe without waiting for its writer', async () => {
  execFileSync('mkfifo', [`${root}/pipe`])
  closeSync(openBelow(root, 'pipe'))
  await (await openHandleBelow(root, 'pipe')).close()
})

it.each(['..', '../victim/b/file', 'a/../../victim/b/file', '../bucket2'])(
  'opens nothing outside: %s',
  (path) => {
    mkdirSync(`${root}2`)
    expect(() => openBelow(root, path)).toThrow(`does not lie below ${root}`)
    expect(() => openFolderBelow(root, path, true)).toThrow(`does not lie below ${root}`)
  },
)
