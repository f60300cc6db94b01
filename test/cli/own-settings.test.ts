/** Settings that extensions declare: they have all that those of the core have, and are unknown without their extension. */
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { knownSettings } from '../../src/core/cli/known-settings.ts'
import { configSchema, loadSettings, parseConfig } from '../../src/core/cli/load-settings.ts'
import type { OwnSettings } from '../../src/core/cli/own-settings.ts'
import { group, onOrOff, orNull, path, say, settingText, whole } from '../../src/core/cli/setting-fields.ts'
import { extensions } from '../../src/extensions.ts'
import { tempFolder } from '../support/product.ts'

const folder = tempFolder()

const fax = {
  shape: {
    fax: group('A made-up machine.', {
      number: say('Its number.', orNull(settingText('digits', /^[0-9]+$/))),
      cover: say('A file.', orNull(path)),
      pages: say('At most.', whole(1, 99).default(3)),
      others: say('Other numbers.', z.array(z.string()).default([])),
    }),
    isLoud: say('Whether it rings.', onOrOff(false)),
    code: say('A secret.', orNull(settingText('four digits', /^[0-9]{4}$/))),
  },
  secrets: ['code'],
  commands: { nightly: { flags: { 'fax.number': '--fax <number>' }, about: 'It sends a fax.' } },
} as const satisfies OwnSettings
const withFax = await knownSettings({ list: [{ settings: () => Promise.resolve({ settings: fax }) }] })
const withNone = await knownSettings({ list: [] })

const load = (config: object, environment: Readonly<Record<string, string>> = {}, flags: object = {}) => {
  const configFile = folder.file('fax.json')
  writeFileSync(configFile, JSON.stringify(config))
  const sources = { flags: new Map(Object.entries(flags)), environment, configFile, cores: 1 }
  return loadSettings(withFax, sources)
}

it('come from flags, variables, the config file and defaults, with their types', () => {
  const config = { fax: { number: '1', cover: 'cover.pdf', others: ['7'] } }
  const settings = load(config, { FUNDPRESS_FAX_NUMBER: '2', FUNDPRESS_IS_LOUD: '1' }, { 'fax.number': '3' })
  const own: { fax: { number: string | null; pages: number }; isLoud: boolean } = settings.settingsOf(fax)
  expect(own).toEqual({
    fax: { number: '3', cover: folder.file('cover.pdf'), pages: 3, others: ['7'] },
    isLoud: true,
    code: null,
  })
  expect(settings.settings).not.toHaveProperty('fax')
})

it('that are wrong are refused, and secrets are not shown', () => {
  const refused = `config file ${folder.file('fax.json')}: `
  expect(() => load({ fax: { pages: 0 } })).toThrow(
    `${refused}"fax.pages" must be a whole number from 1 to 99`,
  )
  expect(() => load({ fax: { page: 1 } })).toThrow(`${refused}unknown key "fax.page" (did you mean "pages"?)`)
  expect(() => load({ code: 'abc' })).toThrow('"code" must be four digits, not a value that is not shown')
  expect(() => load({}, { FUNDPRESS_CODE: 'abc' })).toThrow('FUNDPRESS_CODE is a value that is not shown')
})

it('are in the list, in the JSON Schema, and among the flags and the help of a command', () => {
  expect(withFax.list.slice(-5).map(({ key, variable }) => `${key} ${variable}`)).toEqual([
    'fax.number FUNDPRESS_FAX_NUMBER',
    'fax.cover FUNDPRESS_FAX_COVER',
    'fax.pages FUNDPRESS_FAX_PAGES',
    'isLoud FUNDPRESS_IS_LOUD',
    'code FUNDPRESS_CODE',
  ])
  expect(configSchema(withFax)).toContain('"A made-up machine."')
  const { flags, about } = withFax.ofCommand('nightly')
  expect(flags.map(({ named, flag }) => `${named.variable} ${flag}`)).toEqual([
    'FUNDPRESS_FAX_NUMBER --fax <number>',
  ])
  expect(about).toEqual(['It sends a fax.'])
  expect(withFax.ofCommand('status')).toEqual({ flags: [], about: [] })
})

it('are unknown without their extension', () => {
  const refused = /^config file a\.json: unknown key "fax" \(there are db, out, .*\)$/
  expect(() => parseConfig(withNone, 'a.json', '{ "fax": {} }')).toThrow(refused)
  expect(configSchema(withNone)).not.toContain('fax')
})

it('have names of their own', async () => {
  const again = { list: [...extensions.list, { settings: () => Promise.resolve({ settings: fax }) }] }
  const names = await knownSettings(again)
  expect(names.list.length).toBeGreaterThan(withFax.list.length)
  const taken = { shape: { notify: say('Taken.', onOrOff(true)) } }
  const twice = { list: [...extensions.list, { settings: () => Promise.resolve({ settings: taken }) }] }
  await expect(knownSettings(twice)).rejects.toThrow('the setting notify is declared twice')
})
