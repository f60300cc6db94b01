/**
 * Classes and their rules: each class of a page, and each that its scripts set, has a rule in a style sheet that the page
 * links; and each rule is for something that such a page or its scripts have.
 */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { publishTwice } from '../../support/published-twice.ts'
import { buildDemoSite, buildOddSite } from '../../support/site.ts'
import { filesIn } from '../../support/tree.ts'

/** Classes that scripts look for. No rule is for them. */
const hooks = ['changes', 'day', 'drawn', 'result']
/** Classes that depend on data: colours of asset classes, lines of a comparison, depths of a field, the age of a price, funds that all rose. */
const ofData = /^(?:c\d+|l\d|d\d|late|withheld|unpriced|suspended|ended|unwatched|one-list)$/

interface Linked {
  readonly key: string
  readonly classes: ReadonlySet<string>
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
}

const sites = [
  ['a demo', buildDemoSite],
  ['odd funds', buildOddSite],
  ['what a second publish has changed', publishTwice],
] as const

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '')

/** Links of a page to files of its snapshot. */
const keysIn = (page: string, html: string, pattern: RegExp) =>
  [...html.matchAll(pattern)].map(([, path = '']) =>
    path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), path),
  )

function readPage(out: string, key: string): Linked {
  const html = readFileSync(join(out, key), 'utf8')
  return {
    key,
    classes: new Set([...html.matchAll(/\sclass="([^"]*)"/g)].flatMap(([, text = '']) => wordsOf(text))),
    styles: keysIn(key, html, /<link rel="stylesheet" href="([^"]*)"/g),
    scripts: keysIn(key, html, /<script src="([^"]*)"/g),
  }
}

/** Classes in the selectors of a style sheet. */
function ruledIn(css: string): ReadonlySet<string> {
  const selectors = css
    .replace(/\/\*.*?\*\//gs, '')
    .split(/[{};]/)
    // What is left are selectors, declarations and at-rules: only selectors have a class.
    .filter((part) => !/^\s*(?:@|[\w-]+\s*:\s)/.test(part))
  return new Set(
    selectors.flatMap((text) => [...text.matchAll(/\.([A-Za-z][\w-]*)/g)].map(([, name = '']) => name)),
  )
}

/** Classes that a script sets, as far as it has them as they are. */
function setIn(script: string): ReadonlySet<string> {
  const quoted = (text: string) =>
    [...text.matchAll(/["'`]([^"'`$]*)["'`]/g)].flatMap(([, name = '']) => wordsOf(name))
  return new Set([
    ...[...script.matchAll(/\bclass=\\?"([^"$\\]*)/g)].flatMap(([, text = '']) => wordsOf(text)),
    ...[...script.matchAll(/\.className=(["'`][^"'`$]*["'`])/g)].flatMap(([, text = '']) => quoted(text)),
    ...[...script.matchAll(/\.classList\.(?:add|remove|toggle)\(([^()]*)/g)].flatMap(([, text = '']) =>
      quoted(text),
    ),
  ])
}

describe.each(sites)('on %s', (_, build) => {
  let out = ''
  let pages: readonly Linked[] = []
  const texts = new Map<string, string>()
  const textOf = (key: string) => {
    const text = texts.get(key) ?? readFileSync(join(out, key), 'utf8')
    texts.set(key, text)
    return text
  }
  beforeAll(async () => {
    const site = await build()
    out = site.out
    pages = filesIn(out)
      .filter((key) => key.endsWith('.html') && !key.startsWith('not-found/'))
      .map((key) => readPage(out, key))
    return site.stop
  })

  it('each class of a page and of its scripts has a rule in a style sheet of the page', () => {
    const without = pages.flatMap(({ key, classes, styles, scripts }) => {
      const ruled = new Set([...hooks, ...styles.flatMap((style) => [...ruledIn(textOf(style))])])
      const used = [...classes, ...scripts.flatMap((script) => [...setIn(textOf(script))])]
      return [...new Set(used)]
        .filter((name) => !ruled.has(name) && !ofData.test(name))
        .map((name) => `${name}: ${key}`)
    })
    expect(pages.length).toBeGreaterThan(30)
    expect(without.slice(0, 40)).toEqual([])
  })
})

it('each rule is for a class of a page that links its style sheet, or of a script of such a page', async () => {
  const users = new Map<string, { readonly css: string; readonly names: Set<string>; scripts: string }>()
  for (const [, build] of sites) {
    const { out, stop } = await build()
    const texts = new Map<string, string>()
    for (const key of filesIn(out).filter(
      (file) => file.endsWith('.html') && !file.startsWith('not-found/'),
    )) {
      const { classes, styles, scripts } = readPage(out, key)
      for (const style of styles) {
        const user = users.get(style) ?? {
          css: readFileSync(join(out, style), 'utf8'),
          names: new Set(),
          scripts: '',
        }
        users.set(style, user)
        for (const name of classes) user.names.add(name)
        for (const script of scripts) {
          const text = texts.get(script) ?? readFileSync(join(out, script), 'utf8')
          texts.set(script, text)
          if (!user.scripts.includes(text)) user.scripts += text
        }
      }
    }
    await stop()
  }
  const unused = [...users].flatMap(([style, { css, names, scripts }]) =>
    [...ruledIn(css)]
      .filter((name) => !names.has(name) && !ofData.test(name))
      // In any text of a script, since it may put a class together.
      .filter((name) => !new RegExp(`["'\`\\s]${name}["'\`\\s]`).test(scripts))
      .map((name) => `${style}: ${name}`),
  )
  expect(users.size).toBeGreaterThan(5)
  expect(unused).toEqual([])
})
