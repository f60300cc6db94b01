/** The API explorer in a real browser: its filter, its programs, its links, what it says of an answer. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import type { Browser, Locator, Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  accessibilityFaults,
  desktopLight,
  expectSound,
  follow,
  openBrowser,
  overhang,
  phoneDark,
  visit,
  whyNoBrowser,
} from '../../support/browser.ts'
import { tempFolder } from '../../support/product.ts'
import { lacks } from '../../support/programs.ts'
import { buildDemoSite, type Site } from '../../support/site.ts'

/** How to run a program of a tab, with a line of its own that prints what it got as JSON, where it is JSON or CSV. */
const runners = [
  {
    program: 'curl',
    command: 'sh',
    file: 'request.sh',
    isLacking: lacks('curl'),
    printing: { json: '', csv: '' },
  },
  {
    program: 'JavaScript',
    command: 'node',
    file: 'request.mjs',
    isLacking: lacks('node'),
    printing: { json: '\nconsole.log("\\u0000" + JSON.stringify(data))', csv: '' },
  },
  {
    program: 'Python',
    command: 'python3',
    file: 'request.py',
    isLacking: lacks('python3'),
    printing: {
      json: '\nprint("\\0" + json.dumps(data))',
      csv: '\nimport json\nprint("\\0" + json.dumps(list(csv.DictReader(lines))))',
    },
  },
] as const

interface Asked {
  readonly id: string
  readonly format: string
  readonly programs: Readonly<Record<string, string>>
  /** As the explorer shows it, without what lays it out. */
  readonly shown: string
  readonly url: string
}

describe.skipIf(whyNoBrowser !== undefined)('the API explorer in a browser', () => {
  const folder = tempFolder()
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    site = await buildDemoSite()
    browser = await openBrowser()
    return async () => {
      await browser.close()
      await site.stop()
    }
  })
  const open = (rest = '', look = desktopLight) =>
    visit(browser, `${site.base}/docs/explorer/index.html${rest}`, look)
  const choose = (operation: Locator, program: string) =>
    operation.locator('.programs label', { hasText: new RegExp(`^${program}$`) }).click()
  const codeOf = async (operation: Locator) => (await operation.locator('.request code').textContent()) ?? ''

  /** Each operation that a build answers, in each format that its form offers. */
  async function askAll(page: Page): Promise<readonly Asked[]> {
    return page.evaluate<readonly Asked[]>(`(async () => {
      const asked = []
      for (const operation of document.querySelectorAll('.operation')) {
        operation.open = true
        await new Promise((done) => setTimeout(done))
        const select = operation.querySelector('select[name=format]')
        for (const format of select ? [...select.options].map(({ value }) => value) : ['']) {
          if (select) {
            select.value = format
            select.dispatchEvent(new Event('input', { bubbles: true }))
          }
          const state = operation.querySelector('.exchange [role=status]')
          state.textContent = ''
          operation.querySelector('[type=submit]').click()
          const isDone = () => /ms|could/.test(state.textContent)
          while (!isDone()) await new Promise((done) => setTimeout(done, 5))
          if (!state.textContent.startsWith('200')) continue
          const programs = {}
          for (const input of operation.querySelectorAll('.programs input')) {
            input.click()
            programs[input.value] = operation.querySelector('.request code').textContent
          }
          const shown = operation.querySelector('.result code').textContent
          const url = /http[^'"]+/.exec(programs.curl)[0]
          asked.push({ id: operation.id, format: format || 'json', programs, shown, url })
        }
      }
      return asked
    })()`)
  }

  it('gives each request as programs that get what it shows', async () => {
    const { page, end } = await open()
    const all = await askAll(page)
    await end()
    // All but the lists that only a publish writes: 13 operations in two formats, three of them in CSV, too.
    expect(new Set(all.map(({ id }) => id)).size).toBeGreaterThan(18)
    expect(all.filter(({ format }) => format === 'xml').length).toBeGreaterThan(9)
    expect(all.filter(({ format }) => format === 'csv').length).toBeGreaterThan(2)
    let runs = 0
    const check = async ({ id, format, programs, shown, url }: Asked, index: number) => {
      const answer = await fetch(url)
      const body = await answer.text()
      const type = answer.headers.get('content-type') ?? ''
      const kind = type.includes('json') ? 'json' : format === 'csv' ? 'csv' : 'text'
      if (shown.length < 100_000)
        expect({ id, shown: squeezed(shown) }).toEqual({ id, shown: squeezed(body) })
      for (const { program, command, file, isLacking, printing } of runners) {
        if (isLacking) continue
        const path = folder.file(`${index}-${file}`)
        writeFileSync(path, (programs[program] ?? '') + (kind === 'text' ? '' : printing[kind]))
        const { stdout } = await promisify(execFile)(command, [path], { maxBuffer: 2 ** 27 })
        const [plain = '', ofLine] = stdout.split('\0')
        const got = ofLine === undefined ? plain.trimEnd() : (JSON.parse(ofLine) as unknown)
        const isParsed = ofLine !== undefined
        const expected = !isParsed
          ? body.trimEnd()
          : kind === 'json'
            ? (JSON.parse(body) as unknown)
            : (parse(body, { columns: true }) as unknown)
        // Of a difference in a long text the place is enough.
        if (typeof got === 'string') expect(got === expected, `${program} of ${id} in ${format}`).toBe(true)
        else expect({ id, format, program, got }).toEqual({ id, format, program, got: expected })
        runs++
      }
    }
    const queue = [...all.entries()]
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await check(next[1], next[0])
    }
    await Promise.all([worker(), worker(), worker()])
    expect(runs).toBe(all.length * runners.filter(({ isLacking }) => !isLacking).length)
  })

  it.skipIf(lacks('Rscript'))(
    'gives a request for R, which reads CSV and XML without a package',
    async () => {
      const { page, end } = await open('#prices-current')
      const operation = page.locator('#prices-current')
      await choose(operation, 'R')
      for (const [format, expected] of [
        ['csv', /date +issue_price/],
        ['xml', /^<\?xml version="1.0" encoding="UTF-8"\?>\n<root>/],
      ] as const) {
        await operation.locator('[name=format]').selectOption(format)
        const path = folder.file(`${format}.R`)
        writeFileSync(path, await codeOf(operation))
        const { stdout } = await promisify(execFile)('Rscript', [path])
        expect(stdout).toMatch(expected)
      }
      await operation.locator('[name=format]').selectOption('')
      expect(await codeOf(operation)).toContain(`jsonlite::fromJSON("${site.base}/api/v1/prices-current/`)
      await end()
    },
  )

  it('gives a query for Excel by what the answer is, and no value ends its text', async () => {
    const { page, end } = await open('#prices-current')
    const operation = page.locator('#prices-current')
    await choose(operation, 'Excel')
    const parts = []
    for (const format of ['', 'xml', 'csv']) {
      await operation.locator('[name=format]').selectOption(format)
      parts.push(/Json\.Document|Xml\.Document|Csv\.Document/.exec(await codeOf(operation))?.[0])
    }
    expect(parts).toEqual(['Json.Document', 'Xml.Document', 'Csv.Document'])
    await operation.locator('[name=isin]').fill(`'"\\$(id)`)
    for (const program of ['curl', 'JavaScript', 'Python', 'R', 'Excel']) {
      await choose(operation, program)
      expect(await codeOf(operation)).toContain('/prices-current/%27%22%5C%24(id)/')
    }
    await end()
  })

  it('says what a request lacks in the language of the page, and neither sends nor copies it', async () => {
    const visited = await visit(
      browser,
      `${site.base}/docs/de/explorer/index.html#prices-historic`,
      phoneDark,
    )
    const { page } = visited
    const operation = page.locator('#prices-historic')
    const isin = operation.locator('[name=isin]')
    const lack = operation.locator('form [aria-live]')
    const copy = operation.locator('.request').getByRole('button', { name: 'Kopieren' })
    await copy.waitFor()
    expect(await lack.textContent()).toBe('')
    const right = await isin.inputValue()
    let requests = 0
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/')) requests++
    })
    const send = () => operation.locator('[type=submit]').click()
    for (const nothing of ['', '  ']) {
      await isin.fill(nothing)
      expect(await lack.textContent()).toBe('Geben Sie isin an.')
      expect(await codeOf(operation)).toContain('/api/v1/prices-historic/{isin}/2')
      expect(await copy.isVisible()).toBe(false)
      await send()
    }
    await isin.fill('{isin}')
    expect(await codeOf(operation)).toContain('/%7Bisin%7D/')
    await isin.fill(right)
    await operation.locator('[name=datefrom]').fill('2026-11-16')
    await operation.locator('[name=dateto]').fill('2026-11-13')
    expect(await lack.textContent()).toBe('dateto darf nicht vor datefrom liegen.')
    expect(await copy.isVisible()).toBe(false)
    await send()
    await operation.locator('[name=dateto]').fill('')
    expect(await lack.textContent()).toBe('Geben Sie dateto an.')
    await send()
    expect(requests).toBe(0)
    await expectSound(visited)
    await operation.locator('[name=dateto]').fill('2026-11-16')
    expect(await lack.textContent()).toBe('')
    expect(await copy.isVisible()).toBe(true)
    await send()
    await operation.locator('.status.good').waitFor()
    await visited.end()
  })

  it('says of a text that it is no ISIN, and sends it all the same, as a reader may want to see the error', async () => {
    const visited = await open('#prices-current')
    const { page } = visited
    const operation = page.locator('#prices-current')
    const isin = operation.locator('[name=isin]')
    const said = operation.locator('form [aria-live]')
    const button = operation.locator('[type=submit]')
    const right = await isin.inputValue()
    const checkDigit = Number(right.at(-1))
    const place = await button.boundingBox()
    const wrong = [
      right.slice(0, -1),
      `${right.slice(0, -1)}${(checkDigit + 1) % 10}`,
      `${right}0`,
      'no ISIN',
    ]
    for (const text of wrong) {
      await isin.fill(text)
      expect(await said.textContent()).toMatch(/^An ISIN has .* The server will answer 404\.$/)
      expect(await isin.getAttribute('aria-invalid')).toBe('true')
    }
    // What is said has a place before: nothing moves.
    expect(await button.boundingBox()).toEqual(place)
    await expectSound(visited)
    await button.click()
    await operation.locator('.status:not(.good)', { hasText: '404' }).waitFor()
    await isin.fill(` ${right.toLowerCase()} `)
    expect(await said.textContent()).toBe('')
    expect(await isin.getAttribute('aria-invalid')).toBe('false')
    await button.click()
    await operation.locator('.status.good').waitFor()
    await visited.end()
  })

  it('copies all of a response, its headers, too, and nothing of one that is cut', async () => {
    const { page, end } = await open('#prices-current')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const operation = page.locator('#prices-current')
    await operation.locator('[type=submit]').click()
    await operation.locator('.status.good').waitFor()
    for (const view of ['Body', 'Headers']) {
      await operation.locator('.result label', { hasText: view }).click()
      const copy = operation.locator('.result').getByRole('button', { name: 'Copy' })
      const shown = operation.locator('.result pre:visible')
      const button = await copy.boundingBox()
      expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(
        (await shown.boundingBox())?.y ?? 0,
      )
      await copy.click()
      await operation.locator('.result').getByRole('button', { name: '✓ Copied' }).waitFor()
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(await shown.textContent())
    }
    await page.locator('#openapi > summary').click()
    const long = page.locator('#openapi')
    await long.locator('[type=submit]').click()
    await long.locator('.status.good').waitFor()
    expect(await long.locator('.result button:visible').count()).toBe(0)
    await end()
  })

  it('keeps the language of programs, on other operations, on other pages, and after a reload', async () => {
    const { page, end } = await open('#prices-current')
    await choose(page.locator('#prices-current'), 'R')
    await page.locator('#figures > summary').click()
    await expect.poll(() => codeOf(page.locator('#figures'))).toContain('jsonlite')
    await page.goto(`${site.base}/docs/recipes/index.html`)
    const shown = await page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('.tabs > input:checked')].map(({ value }) => value)`,
    )
    expect(new Set(shown)).toEqual(new Set(['R']))
    await page.goto(`${site.base}/docs/explorer/index.html#profile`)
    await expect.poll(() => codeOf(page.locator('#profile'))).toContain('jsonlite')
    await end()
  })

  it('keeps what was chosen where it is, though panels above it change their height', async () => {
    const { page, end } = await visit(browser, `${site.base}/docs/recipes/index.html`, desktopLight)
    const tab = page.locator('.tabs').nth(4).locator('label', { hasText: 'pandas' })
    await tab.scrollIntoViewIfNeeded()
    const before = (await tab.boundingBox())?.y ?? 0
    await tab.click()
    expect((await tab.boundingBox())?.y ?? 0).toBeCloseTo(before, 0)
    await end()
  })

  it('has an address for each request, which leads to it, in the other language, too', async () => {
    const { page, end } = await open('#prices-historic')
    const operation = page.locator('#prices-historic')
    await operation.locator('[name=datefrom]').fill('2026-11-02')
    await operation.locator('[name=format]').selectOption('csv')
    await expect.poll(() => page.url()).toContain('format=csv')
    const link = await operation.locator('.permalink').getAttribute('href')
    expect(link).toBe(page.url())
    expect(new URL(page.url()).search).toBe('?datefrom=2026-11-02&format=csv')
    await follow(page.getByRole('link', { name: 'Deutsch', exact: true }))
    const german = page.locator('#prices-historic')
    await expect.poll(() => german.locator('[name=datefrom]').inputValue()).toBe('2026-11-02')
    await expect.poll(() => codeOf(german)).toMatch(/\/2026-11-02\/\d{4}-\d\d-\d\d\/\?format=csv'$/)
    // Another operation has an address of its own.
    await german.locator('xpath=.').evaluate('(each) => { each.open = false }')
    await page.locator('#figures > summary').click()
    await expect.poll(() => new URL(page.url()).hash).toBe('#figures')
    expect(new URL(page.url()).search).toBe('')
    await end()
  })

  it('finds operations by words, and opens the first by Enter', async () => {
    const visited = await open('', phoneDark)
    const { page } = visited
    const shown = () => page.locator('.operation:visible').evaluateAll(ids)
    const all = (await shown()).length
    await page.keyboard.press('/')
    await page.keyboard.type('prices all')
    expect(await shown()).toEqual(['prices-current-all'])
    expect(await page.locator('.filter [role=status]').textContent()).toBe(`1 of ${all}`)
    await page.keyboard.press('Enter')
    expect(await page.locator('#prices-current-all').getAttribute('open')).toBe('')
    await page.locator('#prices-current-all > summary:focus').waitFor()
    await page.locator('.filter input').fill('no such words')
    expect(await shown()).toEqual([])
    expect(await page.locator('.filter [role=status]').textContent()).toMatch(/^No request has these words\./)
    expect(await page.locator('h2:visible').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 740 })
    expect(await overhang(page)).toEqual([])
    await page.locator('.filter').getByRole('button', { name: 'Clear filter' }).click()
    await page.locator('.filter input:focus').waitFor()
    expect(await shown()).toHaveLength(all)
    await visited.end()
  })

  it('shows status, time, size and type of an answer, its headers, and its fields beside it', async () => {
    const visited = await open('#prices-current')
    const { page } = visited
    const operation = page.locator('#prices-current')
    await operation.locator('.described').waitFor()
    const documented = await (await fetch(`${site.base}/docs/v1/endpoints/prices/index.html`)).text()
    const fields = operation.locator('.members tbody th')
    expect(await fields.first().textContent()).toBe('fund')
    for (const name of await fields.allTextContents()) expect(documented).toContain(`<code>${name}</code>`)
    await operation.locator('[type=submit]').click()
    const state = operation.locator('[role=status]')
    await expect
      .poll(() => state.textContent())
      .toMatch(/^200 OK · \d+ ms · [\d.]+\u00a0\w+ · application\/json$/)
    const answer = await operation.locator('.result').boundingBox()
    const beside = await operation.locator('.described').boundingBox()
    expect(beside?.x).toBeGreaterThan((answer?.x ?? 0) + (answer?.width ?? 0))
    await operation.locator('.result label', { hasText: 'Headers' }).click()
    expect(await operation.locator('.result pre:visible').textContent()).toContain('etag: ')
    await expectSound(visited)
    const isin = await operation.locator('[name=isin]').inputValue()
    await operation.locator('[name=isin]').fill('XX0000000002')
    await operation.locator('[type=submit]').click()
    await operation.locator('.status:not(.good)', { hasText: '404' }).waitFor()
    expect(await fields.allTextContents()).toEqual(['title', 'type', 'status'])
    await operation.locator('[name=isin]').fill(isin)
    await operation.locator('[type=submit]').click()
    await operation.locator('.status.good').waitFor()
    expect(await fields.first().textContent()).toBe('fund')
    await visited.end()
  })

  it('shows an example in the format of the form until a request is sent', async () => {
    const { page, end } = await open('#prices-current')
    const operation = page.locator('#prices-current')
    const code = operation.locator('.sample code')
    await expect.poll(() => code.textContent()).toMatch(/^\{\s+"fund": \{/)
    await operation.locator('[name=format]').selectOption('xml')
    await expect.poll(() => code.textContent()).toMatch(/^<root>/)
    await operation.locator('[type=submit]').click()
    await operation.locator('.status.good').waitFor()
    expect(await operation.locator('.sample').isVisible()).toBe(false)
    await operation.locator('[name=format]').selectOption('csv')
    expect(await operation.locator('.sample').isVisible()).toBe(false)
    // A list that only a publish writes has none.
    await page.locator('#feed > summary').click()
    expect(await page.locator('#feed [role=status]').textContent()).toMatch(/^Send the request/)
    await end()
  })

  it.each([
    ['a phone', phoneDark],
    ['a desktop', desktopLight],
  ] as const)(
    'brings the beginning of a response into the window, and keeps the focus: %s',
    async (_, look) => {
      const { page, end } = await open('#prices-current', look)
      const operation = page.locator('#prices-current')
      await operation.locator('[type=submit]').click()
      await operation.locator('.status.good').waitFor()
      const response = await operation.locator('.result pre:visible').boundingBox()
      expect(response?.y).toBeLessThan(look.height - 100)
      expect(response?.y).toBeGreaterThan(0)
      expect(await operation.locator('[type=submit]:focus').count()).toBe(1)
      await end()
    },
  )

  it('keeps the response of the last request, though that of an earlier one comes later', async () => {
    const { page, end } = await open('#prices-current')
    const operation = page.locator('#prices-current')
    const held = Promise.withResolvers<undefined>()
    const ended = Promise.withResolvers<undefined>()
    const isFirst = (request: Request) => /\/prices-current\/[^?]*$/.test(request.url())
    await page.route('**/prices-current/**', async (route) => {
      if (isFirst(route.request())) await held.promise
      // The page may have given it up.
      await route.continue().catch(() => undefined)
    })
    const noteEnd = (request: Request) => {
      if (isFirst(request)) ended.resolve(undefined)
    }
    page.on('requestfinished', noteEnd)
    page.on('requestfailed', noteEnd)
    await operation.locator('[type=submit]').click()
    await operation.locator('[name=format]').selectOption('xml')
    await operation.locator('[type=submit]').click()
    await operation.locator('.status.good').waitFor()
    held.resolve(undefined)
    await ended.promise
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
    expect(await operation.locator('[role=status]').textContent()).toContain('application/xml')
    expect(await operation.locator('.result pre').first().textContent()).toMatch(/^<\?xml|^<root>/)
    await end()
  })

  it('says that the server could not be reached, and asks again by a button', async () => {
    const visited = await open('#prices-current', phoneDark)
    const { page } = visited
    const operation = page.locator('#prices-current')
    await operation.locator('.sample code:not(:empty)').waitFor()
    expect(await operation.locator('.described').isVisible()).toBe(true)
    await page.context().setOffline(true)
    await operation.locator('[type=submit]').click()
    const notice = operation.locator('.callout[role=status]')
    await notice.getByRole('button', { name: 'Try again' }).waitFor()
    expect(await notice.textContent()).toBe('The server could not be reached. Try again')
    expect(await operation.locator('.sample').isVisible()).toBe(false)
    expect(await operation.locator('.described').isVisible()).toBe(false)
    expect(await accessibilityFaults(page)).toEqual([])
    await page.context().setOffline(false)
    await notice.getByRole('button').click()
    await operation.locator('.status.good').waitFor()
    expect(await notice.count()).toBe(0)
    expect(await operation.locator('.described').isVisible()).toBe(true)
    expect(await operation.locator('[type=submit]:focus').count()).toBe(1)
    await visited.end()
  })

  it('has the titles in a column, and a filter as wide as the boxes on a phone', async () => {
    const { page, end } = await open('')
    const titles = page.locator('.operation > summary > span:last-child')
    const lefts = await titles.evaluateAll(leftEdges)
    expect(lefts.length).toBeGreaterThan(20)
    expect(new Set(lefts).size).toBe(1)
    await page.setViewportSize({ width: 390, height: 844 })
    const filter = await page.locator('.filter input').boundingBox()
    const box = await page.locator('.operation').first().boundingBox()
    expect(filter?.width).toBeCloseTo(box?.width ?? 0, 0)
    await end()
  })

  it('suggests funds by name where an ISIN is typed, and asks for their list once', async () => {
    const { page, end } = await open('#prices-current')
    let lists = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/funds/index.json')) lists++
    })
    expect(await page.locator('#funds option').count()).toBe(0)
    await page.locator('#prices-current [name=isin]').focus()
    const { funds } = (await (await fetch(`${site.base}/funds/index.json`)).json()) as {
      readonly funds: readonly { readonly isin: string; readonly name: string }[]
    }
    await expect.poll(() => page.locator('#funds option').count()).toBe(funds.length)
    const [first] = funds
    expect(await page.locator('#funds option').first().getAttribute('label')).toBe(first?.name)
    await page.locator('#prices-current [name=format]').focus()
    await page.locator('#prices-current [name=isin]').focus()
    expect(lists).toBe(1)
    await end()
  })
})

/** Without what lays a document out: spaces and lines outside of its texts. */
const squeezed = (text: string) =>
  text
    .replace(/("(?:\\.|[^"\\])*")|\s+/g, (_, quoted: string | undefined) => quoted ?? '')
    .replace(/>\s+</g, '><')

const ids = (operations: readonly { readonly id: string }[]) => operations.map(({ id }) => id)

const leftEdges = (elements: readonly { getBoundingClientRect: () => { readonly left: number } }[]) =>
  elements.map((element) => Math.round(element.getBoundingClientRect().left))
