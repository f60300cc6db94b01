/** How tests go on to another page: they ask when it is all there. */
import { createServer } from 'node:http'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { follow, openBrowser, visit, whyNoBrowser } from '../../support/browser.ts'
import { listen } from '../../support/request.ts'

const first = `<!doctype html><title>First</title>
  <a href="next">Next</a> <a href="#part">Part</a> <p id="part">Part</p>
  <form action="next"><button>Send</button></form>`

describe.skipIf(whyNoBrowser !== undefined)('a test in a browser that goes on to another page', () => {
  /** Sends the second half of the next page. */
  let sendRest: () => void
  let base = ''
  let browser: Browser
  beforeAll(async () => {
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html')
      if (request.url?.startsWith('/next') !== true) {
        response.end(first)
        return
      }
      response.write('<!doctype html><title>Next</title><h1>Next</h1>')
      sendRest = () =>
        response.end('<p>End</p><script>document.querySelector("p").className = "changed"</script>')
    })
    const served = await listen(server)
    base = served.base
    browser = await openBrowser()
    return async () => {
      await browser.close()
      await served.stop()
    }
  })

  it.each([
    ['link', 'click'],
    ['link', 'Enter'],
    ['button', 'click'],
  ] as const)(
    'waits until the page has arrived to its end, and its scripts have run: %s by %s',
    async (role, how) => {
      const { page, end } = await visit(browser, base)
      const seen: string[] = []
      const following = follow(page.getByRole(role).first(), how).then(() => seen.push('all'))
      await page.getByRole('heading').waitFor()
      seen.push('half')
      sendRest()
      await following
      expect(seen).toEqual(['half', 'all'])
      expect(await page.locator('p').getAttribute('class')).toBe('changed')
      await end()
    },
  )

  it.each(['link', 'button'] as const)('fails if it presses without waiting: %s', async (role) => {
    const { page, end } = await visit(browser, base)
    await page.getByRole(role).first().click()
    await page.getByRole('heading').waitFor()
    await expect(end()).rejects.toThrow(`pressed without follow(): ${base}/next`)
  })

  it('presses links within a page as it likes', async () => {
    const { page, end } = await visit(browser, base)
    await page.getByRole('link', { name: 'Part' }).click()
    await page.waitForURL(`${base}/#part`)
    await end()
  })
})
