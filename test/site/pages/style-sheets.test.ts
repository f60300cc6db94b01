/** Style sheets as they are sent: without what only their authors read, and the same to a browser. */
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pageTemplate } from '../../../src/core/layout/layout.ts'
import { repository } from '../../support/product.ts'

/** The parser of csstree-validator. */
const { generate, parse } = createRequire(import.meta.resolve('csstree-validator'))('css-tree') as {
  readonly parse: (css: string, options: { readonly parseCustomProperty: boolean }) => object
  readonly generate: (tree: object) => string
}

/** As css-tree writes it, a style sheet has no spaces but those that mean something. */
const written = (css: string) => generate(parse(css, { parseCustomProperty: true }))

const templates = join(repository, 'templates')
const sheets = globSync('**/*.css', { cwd: templates })

it.each(sheets)('%s has no comment and no indent when it is sent, and is parsed as its template', (name) => {
  const sent = pageTemplate(name)
  expect(sent).not.toMatch(/\/\*|^[^\S\n]|\n\n/m)
  const made = readFileSync(join(templates, name), 'utf8')
  expect(sent.length).toBeLessThan(made.length * 0.9)
  expect(written(sent)).toBe(written(made))
  expect(written(sent).length).toBeGreaterThan(made.length / 2)
})

it('a page has several of them', () => {
  expect(sheets.length).toBeGreaterThan(8)
})
