/** Pages and style sheets as validators of others see them: html-validate, the Nu Html Checker and csstree-validator. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HtmlValidate, type ConfigData, StaticConfigLoader } from 'html-validate'
import { expect, it } from 'vitest'
import { repository, tempFolder } from '../../support/product.ts'
import { canRun, isMissing } from '../../support/programs.ts'
import { publishTwice } from '../../support/published-twice.ts'
import { sample } from '../../support/rounds.ts'
import { buildDemoSite, buildOddSite } from '../../support/site.ts'
import { filesIn } from '../../support/tree.ts'

const folder = tempFolder()

const config: ConfigData = {
  root: true,
  extends: ['html-validate:recommended'],
  rules: {
    // The form that the formatter of our templates gives them, which browsers take for the same.
    'void-style': ['error', { style: 'selfclosing' }],
    'doctype-style': ['error', { style: 'lowercase' }],
    // A template ends with a space where its element may stand in a line of text.
    'no-trailing-whitespace': 'off',
    // A fund's name may be long, and the title has it whole.
    'long-title': 'off',
    // The list of a combobox.
    'prefer-native-element': ['error', { exclude: ['listbox'] }],
  },
}

const sites = [
  ['a demo', buildDemoSite],
  ['odd funds', buildOddSite],
  ['what a second publish has changed', publishTwice],
] as const

it.each(sites)('every kind of page is valid HTML: %s', async (_, build) => {
  const site = await build()
  const all = filesIn(site.out).filter((key) => key.endsWith('.html'))
  const ofFunds = all.filter((key) => /^funds\/[A-Z]/.test(key))
  const pages = [...all.filter((key) => !ofFunds.includes(key)), ...sample(ofFunds, { least: 4 })]
  const validator = new HtmlValidate(new StaticConfigLoader(config))
  const faults = pages.flatMap((key) => {
    const { results } = validator.validateStringSync(readFileSync(join(site.out, key), 'utf8'))
    const messages = results.flatMap(({ messages }) => messages)
    return messages.map(
      ({ ruleId, message, line, column }) => `${key}:${line}:${column} ${ruleId}: ${message}`,
    )
  })
  expect(pages.length).toBeGreaterThan(30)
  expect([...new Set(faults)].slice(0, 20)).toEqual([])
  await site.stop()
})

// Its schemas take a deep stack; to compile as little as possible takes half the time.
const java = ['-Xss8m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
const vnu = join(process.env['FUNDPRESS_TEST_VNU'] ?? '', 'node_modules/vnu-jar/build/dist/vnu.jar')

it.skipIf(isMissing(existsSync(vnu) && canRun('java', '-version')))(
  'has no error for the Nu Html Checker, in any page of any site',
  async () => {
    expect(existsSync(vnu), 'FUNDPRESS_TEST_VNU names a folder with vnu-jar, as .ci/run has it').toBe(true)
    const built = await Promise.all(sites.map(async ([, build]) => build()))
    const outs = built.map(({ out }) => out)
    const pages = outs.flatMap((out) => filesIn(out).filter((key) => key.endsWith('.html')))
    for (const key of ['index', 'de', 'not-found/de', 'docs/index', 'status/de', 'changes/de', 'funds/index'])
      expect(pages.filter((page) => page === `${key}.html`)).toHaveLength(3)
    const flags = ['--errors-only', '--stdout', '--skip-non-html', '--format', 'gnu']
    const { status, stdout, stderr } = spawnSync('java', [...java, '-jar', vnu, ...flags, ...outs], {
      encoding: 'utf8',
    })
    expect({ status, errors: stdout.split('\n').slice(0, 20), stderr }).toEqual({
      status: 0,
      errors: [''],
      stderr: '',
    })
    await Promise.all(built.map(({ stop }) => stop()))
  },
)

it('every style sheet is valid CSS', async () => {
  const { out, stop } = await buildDemoSite()
  const styles = filesIn(out).filter((key) => key.endsWith('.css'))
  const validator = join(repository, 'node_modules/csstree-validator/bin/validate.js')
  expect(styles.length).toBeGreaterThanOrEqual(5)
  // Its process reads a folder at once.
  mkdirSync(folder.file('styles'))
  for (const style of styles)
    copyFileSync(join(out, style), join(folder.file('styles'), style.replaceAll('/', ' ')))
  const { status, stderr } = spawnSync(process.execPath, [validator, folder.file('styles')], {
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  await stop()
})
