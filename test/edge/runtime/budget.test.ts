/** What a single client may cost each platform: CPU time by hostile requests, memory and delay by clients that hold on. */
import { beforeAll, expect, it } from 'vitest'
import { type BudgetReport, measureBudget, placeOf, sizeLimit, tablesOf } from '../../bench/budget/budget.ts'
import { hostileRequests } from '../../bench/budget/hostile.ts'
import { allLoads } from '../../bench/budget/loads.ts'
import { processProbe } from '../../bench/budget/probe.ts'
import { toMarkdown } from '../../bench/tables.ts'
import { makeTempFolder, mustRun, docsUrl } from '../../support/product.ts'
import { rounds, sample } from '../../support/rounds.ts'
import { fillDemo } from '../../support/snapshots.ts'
import { cloudFront, describePlatforms, firstIsin, nginx, serveFolder, workerd } from './deployments.ts'

const asOf = '2025-09-30'
/** The default. */
const liveTtlSeconds = 5
const folder = makeTempFolder()
const out = folder.file('out')
const db = folder.file('funds.sqlite')

beforeAll(async () => {
  await fillDemo(1, 30, asOf)(db)
  const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true', FUNDPRESS_DOCS_URL: docsUrl }
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'], { env })
  return folder.remove
})

/** Whether a time or the memory is over its limit; other failures are answers that are wrong or missing. */
const isFigure = (failure: string) => /\(limit [\d,]+\)/.test(failure)

describePlatforms((platform, turn) => {
  // Those with files share their code with those with a bucket, but for what reads an answer: half of all is for them.
  const hasFiles = platform === serveFolder
  const some = hasFiles && rounds > 1 ? allLoads.filter(({ name }) => name.includes('do not read')) : allLoads
  // With fewer rounds, two for serve and the other two for nginx.
  const loads = sample(some, { least: 2, turn: turn + 1 })
  // Clients hold on to the cloud's servers there, which have limits of their own, for the length of a request, too.
  const isBehindCdn = platform === workerd || platform === cloudFront
  const hasLoad = !isBehindCdn && (rounds > 1 || platform === serveFolder || platform === nginx)
  let report: BudgetReport
  let kinds: number

  beforeAll(async () => {
    const place = { ...placeOf(firstIsin(out)), file: '/downloads/latest/large.bin' }
    const all = hostileRequests(place)
    const requests = sample(hasFiles ? all.filter((_, at) => at % 2 === turn % 2) : all, { turn })
    kinds = requests.length
    // The first start removes the types from the sources, and keeps what it has made. The package has none to remove.
    if (hasLoad) await (await platform.deploy({ out }, liveTtlSeconds)).stop()
    const measure = async () => {
      const deployment = await platform.deploy({ out }, liveTtlSeconds)
      if (hasLoad) deployment.addDownload('large.bin', Buffer.alloc(142_000_000))
      const probe = processProbe(deployment.pids)
      report = await measureBudget({
        base: deployment.base,
        probe,
        place,
        requests,
        loads: hasLoad ? loads : [],
        // How long others wait depends on what else the machine does: the benchmark judges it.
        judgesWaits: false,
        patienceMs: 60_000,
      }).finally(deployment.stop)
      process.stdout.write(`\n${platform.name}\n\n${tablesOf(report).map(toMarkdown).join('\n')}`)
    }
    await measure()
    // What else the machine does may be at fault for a figure, for nothing else. A fresh server has its usual memory.
    if (report.failures.length > 0 && report.failures.every(isFigure)) await measure()
  }, 1_200_000)

  it('keeps to the budget under hostile requests and clients that hold on', () => {
    expect(report.failures).toEqual([])
  })

  // nginx has pages of its own.
  it.skipIf(isBehindCdn || platform === nginx)('refuses what is longer than 16 KB with a document', () => {
    const long = report.costs.filter(({ bytes }) => bytes > sizeLimit)
    const refused = long.filter(({ status }) => status === 414 || status === 431)
    expect(refused.length).toBeGreaterThan(kinds)
    expect(refused.filter(({ hasDocument }) => !hasDocument)).toEqual([])
    // No server can read the others as HTTP, whatever their length.
    const others = long.filter((cost) => !refused.includes(cost))
    expect(others.filter(({ status }) => status !== 400)).toEqual([])
  })

  it('measures every hostile request, and the memory that clients take', () => {
    expect(report.costs.length).toBeGreaterThan(kinds * 3)
    expect(report.loads.map(({ name }) => name)).toEqual(hasLoad ? loads.map(({ name }) => name) : [])
    for (const { peakMiB } of report.loads) expect(peakMiB).toBeGreaterThan(10)
  })
})
