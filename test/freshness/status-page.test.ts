/** The status page in a real browser: hostile names, light and dark, no script needed, no other host asked. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOf, freshness, isins, makePricedFunds, names } from '../support/priced-funds.ts'
import { makeTempFolder, startServer, type Server } from '../support/product.ts'
import { run } from '../cli/run.ts'

const executablePath = '/usr/bin/chromium'
const isHere = existsSync(executablePath)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
}

describe.skipIf(!isHere && process.env.CI !== 'true')('the status page in a browser', () => {
  const folder = makeTempFolder()
  let browser: Browser | undefined
  let server: Server | undefined
  beforeAll(async () => {
    makePricedFunds(folder.file('funds.sqlite'))
    writeFileSync(folder.file('fundpress.config.json'), JSON.stringify({ freshness }))
    const args = ['build', '--db', 'funds.sqlite', '--out', 'out', '--as-of', asOf, '--quiet']
    expect(await run(args, { cwd: folder.path })).toMatchObject({ code: 0 })
    server = await startServer(folder.file('out'))
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    folder.remove()
  })

  it.each([
    [1200, 'light'],
    [390, 'dark'],
  ] as const)('has no fault that axe knows, %i pixels wide, %s', async (width, colorScheme) => {
    const page = await mustHave(browser).newPage({ viewport: { width, height: 800 }, colorScheme })
    const requests: string[] = []
    const errors: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(`${server?.base ?? ''}/status/`)
    expect([requests, errors]).toEqual([['/status/'], []])
    expect(await page.locator('#age').textContent()).toMatch(/\(0 h\)$/)
    await page.evaluate(axe)
    const { violations } = await page.evaluate<{ violations: readonly Violation[] }>('axe.run()')
    expect(violations.map(({ id, impact }) => `${id} ${impact}`)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await page.close()
  })

  it('tells everything but its age without scripts, names as they are', async () => {
    const context = await mustHave(browser).newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${server?.base ?? ''}/status/`)
    const rows = await page.locator('tbody tr').allInnerTexts()
    expect(rows).toHaveLength(8)
    const rowOf = (kind: keyof typeof isins) => rows.find((row) => row.includes(isins[kind]))?.split('\t')
    expect(rowOf('fresh')).toEqual([
      ...[names.fresh, 'aktuell · fresh', '2026-11-19', '1', '1', '2026-11-20'],
      isins.fresh,
    ])
    expect(rowOf('stale')?.slice(0, 3)).toEqual([names.stale, 'veraltet · stale', '2026-11-10'])
    expect(rowOf('merged')?.slice(2, 4)).toEqual(['2019-06-28', '≥ 1000'])
    await context.close()
  })
})

function mustHave<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the browser did not start')
  return value
}
