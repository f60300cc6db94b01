/**
 * Each transcript prints what stands in it. `npx vitest run test/transcripts.test.ts -u` writes it again, with what it prints
 * now; but never where `CI` is true.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from './support/folders.ts'
import { rerun } from './support/transcript.ts'

const folder = join(repository, 'test/transcripts')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const names = readdirSync(folder).filter((name) => name !== 'README.md')

it.each(names)('%s prints what stands in it', async (name) => {
  const shown = await rerun(read(name))
  // `-u` would let the snapshots of vitest write in CI, too.
  if (process.env['CI'] === 'true') expect(shown).toBe(read(name))
  else await expect(shown).toMatchFileSnapshot(join(folder, name))
})

it('the list names each transcript with its title', () => {
  const rows = read('README.md').matchAll(/^\| \[(.+)\]\((.+)\) \| (.+) \|$/gm)
  const listed = [...rows].map(([, name = '', file = '', title = '']) => ({ name, file, title }))
  const byFile = (one: { file: string }, other: { file: string }) => (one.file < other.file ? -1 : 1)
  const there = names.map((file) => ({
    name: basename(file, '.txt'),
    file,
    title: read(file).split('\n')[0] ?? '',
  }))
  expect(listed.sort(byFile)).toEqual(there.sort(byFile))
})
