/** Hooks that are for one extension: two that have it are refused, so that none is left out without a word. */
import { expect, it } from 'vitest'
import type { Extension } from '../../src/core/extension.ts'
import { onlyHook } from '../../src/core/snapshot/hooks.ts'
import { insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/folders.ts'
import { build } from './builds.ts'
import { extensions } from './two-writers.ts'

const folder = tempFolder()
const db = folder.file('funds.sqlite')
makeDatabase(db, (insert) => insertGood(insert, isinOf(1)))

const refused = 'the hook beside is for one extension, and several have it: files, more-files'

it('a build with downloads refuses two extensions that write files beside the snapshot', async () => {
  const downloads = { isRawCsv: false, licence: null, signing: null }
  const built = build(db, folder.file('out'), { extensions: extensions.address, downloads })
  await expect(built).rejects.toThrow(refused)
})

it('a build without downloads needs no such hook', async () => {
  await expect(build(db, folder.file('out'), { extensions: extensions.address })).resolves.toMatchObject({
    funds: 1,
  })
})

it.each(['compared', 'follower'] as const)('%s of one extension is found, and two are refused', (hook) => {
  const load = () => Promise.reject(new Error('not to be loaded'))
  const having = (name: string): Extension => {
    return { name, [hook]: load }
  }
  const one = having('one')
  const none: Extension = { name: 'none' }
  expect(onlyHook([none, one], hook)).toBe(load)
  expect(onlyHook([none], hook)).toBeUndefined()
  expect(() => onlyHook([one, having('two')], hook)).toThrow(
    `the hook ${hook} is for one extension, and several have it: one, two`,
  )
})
