/** `serve` of a folder with symbolic links in place of files: their targets are not given out. */
import { cpSync, existsSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { mustRun, startServing, tempFolder } from '../../support/product.ts'
import { rawRequest } from '../../support/request.ts'
import { buildDemo, isinsOf } from '../../support/snapshots.ts'

const folder = tempFolder()
const outside = folder.file('outside')
let isin = ''

beforeAll(async () => {
  const demo = await buildDemo()
  const { out } = demo
  isin = isinsOf(demo).find((one) => existsSync(join(out, 'api/v2/emt', one, 'index.de.json'))) ?? ''
  mkdirSync(outside)
  cpSync(out, folder.file('out'), { recursive: true })
  await mustRun(['publish', '--out', out, '--bucket', `file://${folder.file('bucket')}`, '--quiet'])
})

/** Moves a file or folder of the snapshot away, and puts a link to it in its place. */
function replaceByLink(snapshot: string, key: string, name: string): void {
  renameSync(join(snapshot, key), join(outside, name))
  symlinkSync(join(outside, name), join(snapshot, key))
}

describe.each([
  ['a folder', 'out', () => ['--out', folder.file('out')]],
  ['a bucket that is a folder', 'bucket/blue', () => ['--bucket', `file://${folder.file('bucket')}`]],
])('serve of %s', (_, place, flags) => {
  it('answers 503 where a link is, says which in its log, and answers everything else', async () => {
    const snapshot = folder.file(place)
    const links = [
      `api/v1/profile/${isin}/index.en.json`,
      `api/v1/prices-historic/${isin}/2025.json`,
      `api/v1/figures/${isin}`,
      'api/v2/emt',
    ]
    rmSync(outside, { recursive: true })
    mkdirSync(outside)
    for (const [index, key] of links.entries()) replaceByLink(snapshot, key, String(index))
    const server = await startServing(flags())
    try {
      const ask = async (target: string) => (await rawRequest(server.base, { target })).status
      const historic = `/api/v1/prices-historic/${isin}`
      for (const target of [
        `/api/v1/profile/${isin}/?language=en`,
        `${historic}/2025-02-10/2025-09-11/`,
        `${historic}/2024-02-10/2025-09-11/`,
        `/api/v1/figures/${isin}/`,
        `/api/v2/emt/${isin}/`,
      ])
        expect(await ask(target), target).toBe(503)
      for (const target of [
        `/api/v1/profile/${isin}/?language=de`,
        `${historic}/2023-02-10/2024-11-07/`,
        '/api/v1/prices-current-all/',
      ])
        expect(await ask(target), target).toBe(200)
      for (const key of links)
        expect(server.errors()).toContain(
          `${join(realpathSync(snapshot), key)} is a symbolic link, which is not followed here: remove it`,
        )
    } finally {
      await server.stop()
    }
  })
})
