/** `npm run pictures`: the pictures of README.md, and the golden ones of the tests. They change when the pages do. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { servePageKinds } from '../site/browser/page-kinds.ts'
import { photograph, scenes, settings } from '../site/pictures/scenes.ts'
import { openBrowser, visit } from '../support/browser.ts'
import { openCamera } from '../support/picture.ts'
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

const camera = await openCamera()
const site = await servePageKinds()
for (const scene of scenes)
  for (const setting of settings) {
    const file = `test/site/pictures/${scene.name}-${setting.name}.webp`
    writeFileSync(join(repository, file), await photograph(camera.browser, site.base, { scene, setting }))
    process.stdout.write(`${file}\n`)
  }
await camera.close()
await site.stop()
