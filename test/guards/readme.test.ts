/** The README of the guards lists each of them, with the default of its setting. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { coreSettings } from '../../src/core/cli/load-settings.ts'
import { guards } from '../../src/core/guards/guards.ts'

const defaults = coreSettings({}, 1)
const defaultOf = (setting: string) =>
  setting.split('.').reduce<unknown>((group, name) => (group as Record<string, unknown>)[name], defaults)
/** What the README says of a default that depends on what is live. */
const words: Readonly<Record<string, string>> = { 'bucket.maxDeletes': 'a tenth of them' }

it('lists every guard with its name, its setting and the default', () => {
  const readme = readFileSync('src/core/guards/README.md', 'utf8')
  const rows = [...readme.matchAll(/^\| `([a-z][a-z-]*(?::<\w+>(?:,<\w+>)?)?)` *\|(.+)\|(.*)\|(.*)\|$/gm)]
  const expected = Object.entries(guards).map(([name, { refuses, subject, setting }]) => [
    subject === null ? name : `${name}:<${subject.replace(',', '>,<')}>`,
    refuses,
    setting === null ? '' : `\`${setting}\``,
    setting === null ? '' : (words[setting] ?? JSON.stringify(defaultOf(setting))),
  ])
  expect(rows.map(([, ...cells]) => cells.map((cell) => cell.trim()))).toEqual(expected)
  expect(expected.length).toBeGreaterThan(15)
})
