/** `npm run pictures`: the pictures of README.md, taken of the demo in a real browser. They change when the pages do. */
import { join } from 'node:path'
import { openBrowser, visit } from '../support/browser.ts'
import { makeTempFolder, mustRun, repository, startServing } from '../support/product.ts'

const isins = ['DE000FP06UX9', 'DE000FPSVXB8', 'DE000FP67FJ1']
const pages = {
  'fund-page': `/funds/${isins[0] ?? ''}/`,
  compare: `/compare/?isins=${isins.join()}`,
}

const folder = makeTempFolder()
const db = folder.file('demo.sqlite')
const out = folder.file('out')
await mustRun(['init', '--demo', '--db', db, '--until', '2026-11-20'])
await mustRun(['build', '--db', db, '--out', out, '--as-of', '2026-11-20'], {
  env: { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' },
})
const server = await startServing(['--out', out])
const browser = await openBrowser()
for (const scheme of ['light', 'dark'] as const)
  for (const [name, path] of Object.entries(pages)) {
    const { page, end } = await visit(browser, server.base + path, { scheme, width: 1200, height: 860 })
    const file = `.github/${name}-${scheme}.png`
    await page.screenshot({ path: join(repository, file) })
    await end()
    process.stdout.write(`${file}\n`)
  }
await browser.close()
await server.stop()
folder.remove()
