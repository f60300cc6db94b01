/** A site with changes: the demo, published a second time after some of its data have changed. */
import { copyFileSync } from 'node:fs'
import { editDatabase } from './database.ts'
import { once } from './once.ts'
import { forced, makeTempFolder, mustRun } from './product.ts'
import { buildDemoSite, publishedAt } from './site.ts'

/** The slot of a second publish: its pages say what a day has changed. */
export const publishTwice = () =>
  once('site that was published twice', async () => {
    const folder = makeTempFolder()
    const { db, out, asOf, stop } = await buildDemoSite()
    await stop()
    const changed = folder.file('funds.sqlite')
    const later = folder.file('later')
    const publish = (from: string) =>
      mustRun(['publish', '--out', from, '--bucket', `file://${folder.file('bucket')}`, '--quiet', ...forced])
    await publish(out)
    copyFileSync(db, changed)
    editDatabase(changed, "UPDATE fund SET name = name || ' & Co.' WHERE isin = (SELECT min(isin) FROM fund)")
    editDatabase(changed, "UPDATE price SET net_asset_value = '1.00' WHERE date LIKE '2026-0%-12'")
    const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_BASE_URL: publishedAt }
    const flags = ['--as-of', asOf, '--since', 'none', '--quiet', ...forced]
    await mustRun(['build', '--db', changed, '--out', later, ...flags], { env })
    await publish(later)
    return { out: folder.file('bucket/green'), stop: () => Promise.resolve() }
  })
