/** One word for one concept: no old words. `src/README.md` has the glossary. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from './support/folders.ts'

const places = ['src', 'templates', 'test', '.github', '.ci', 'README.md', 'package.json']

const files = places
  .map((place) => join(repository, place))
  .filter(existsSync)
  .flatMap((place) => {
    if (statSync(place).isFile()) return [place]
    const entries = readdirSync(place, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  })
  // This file has to name the words.
  .filter((file) => file !== import.meta.filename)

it.each([
  ['standing', /(?<!under|out|with)standing/i],
  ['bringIn', /bring-?in\b|bringin|bringsIn/i],
  ['leaveAlone', /leave-?alone/i],
  ['closeToOthers', /close-?to-?others/i],
  ['notWhole', /not-?whole/i],
  ['wiederangelegt', /wiederangelegt/i],
])('the old word %s is in no file, and in no name of one', (_, word) => {
  const found = files.flatMap((file) => [
    ...(word.test(basename(file)) ? [file] : []),
    ...readFileSync(file, 'latin1')
      .split('\n')
      .flatMap((line, index) => (word.test(line) ? [`${file.slice(repository.length)}:${index + 1}`] : [])),
  ])
  expect(found).toEqual([])
})
