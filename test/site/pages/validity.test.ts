/** Pages and style sheets as validators of others see them: html-validate and csstree-validator. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HtmlValidate, type ConfigData, StaticConfigLoader } from 'html-validate'
import { expect, it } from 'vitest'
import { repository, tempFolder } from '../../support/product.ts'
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
  },
}

it.each([
  ['a demo', buildDemoSite],
  ['odd funds', buildOddSite],
])('every kind of page is valid HTML: %s', async (_, build) => {
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

it('every style sheet is valid CSS', async () => {
  const { out, stop } = await buildDemoSite()
  const styles = filesIn(out).filter((key) => key.endsWith('.css') && !key.includes('swagger-ui'))
  const validator = join(repository, 'node_modules/csstree-validator/bin/validate.js')
  expect(styles.length).toBeGreaterThanOrEqual(5)
  // Its process reads a folder at once.
  for (const style of styles) copyFileSync(join(out, style), folder.file(style.replaceAll('/', ' ')))
  const { status, stderr } = spawnSync(process.execPath, [validator, folder.path], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  await stop()
})
