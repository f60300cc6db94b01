/** What a single client may cost each platform: CPU time by hostile requests, memory and delay by clients that hold on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeBudget } from '../../../src/cli/commands/conform.ts'
import { type BudgetReport, measureBudget, sizeLimit } from '../../../src/conform/budget/budget.ts'
import {
  type CostlyRequest,
  hostileRequests,
  largeSizes,
  smallSizes,
} from '../../../src/conform/budget/hostile.ts'
import { allLoads } from '../../../src/conform/budget/loads.ts'
import { processProbe } from '../../../src/conform/budget/probe.ts'
import { openOracle } from '../../../src/conform/oracle/oracle.ts'
import {
  cloudFront,
  type Deployment,
  nginxBucket,
  type Night,
  platforms,
  serveFolder,
  workerd,
} from './deployments.ts'
import { docsUrl, makeTempFolder, mustRun } from '../../support/product.ts'
import { ciRounds, rounds, sample } from '../../support/rounds.ts'

const asOf = '2025-09-30'

/** As it is where nobody sets it. */
const defaultLiveTtlSeconds = 5

const folder = makeTempFolder()
const night: Night = { out: folder.file('out'), db: folder.file('funds.sqlite'), asOf, docsUrl }

/** Clients hold on to the cloud's servers there, which have limits of their own, for the length of a request, too. */
const behindCdn = [workerd, cloudFront]

let isin = ''

beforeAll(async () => {
  const { db, out } = night
  await mustRun(['demo', '--db', db, '--funds', '1', '--years', '30', '--until', asOf, '--seed', '7'])
  const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'], { env })
  const oracle = openOracle(night)
  isin = oracle.isins()[0] ?? ''
  oracle.close()
})

afterAll(() => {
  folder.remove()
})

describe.each(platforms)('the budget of $name', (platform) => {
  // Platforms differ in their samples.
  const turn = platforms.indexOf(platform)
  const loads = sample(allLoads, { turn })
  const { name, deploy, skip } = platform
  const isBehindCdn = behindCdn.includes(platform)
  // Those with files share their code with those with a bucket.
  const hasLoad = !isBehindCdn && (rounds > 1 || platform === serveFolder || platform === nginxBucket)
  let deployment: Deployment
  let report: BudgetReport
  let requests: readonly CostlyRequest[]

  if (skip !== undefined) {
    it.skipIf(process.env['CI'] !== 'true')(`can be measured (${skip})`, () => {
      expect.unreachable(skip)
    })
    return
  }

  beforeAll(async () => {
    deployment = await deploy(night, defaultLiveTtlSeconds)
    const document = `/api/v1/figures/${isin}/`
    const range = `/api/v1/prices-historic/${isin}/1990-01-01/${asOf}/`
    if (hasLoad) deployment.addDownload('large.bin', Buffer.alloc(142_000_000))
    const place = { document, isin, page: '/docs/' }
    requests = sample(hostileRequests(place), { turn })
    report = await measureBudget({
      ...{ base: deployment.base, probe: processProbe(deployment.pids), place, requests, loads },
      sizes: [...smallSizes, ...largeSizes],
      ...(hasLoad && { load: { document, range, file: '/downloads/latest/large.bin' } }),
    })
    process.stdout.write(`\n${name}${describeBudget(report, (_, text) => text)}`)
    return () => deployment.stop()
  }, 300_000)

  it('keeps to it, whatever is asked, and whoever holds on', () => {
    expect(report.failures).toEqual([])
  })

  it.skipIf(isBehindCdn)('refuses what is longer than 16 KB with a document', () => {
    const long = report.costs.filter(({ bytes }) => bytes > sizeLimit)
    const refused = long.filter(({ status }) => status === 414 || status === 431)
    expect(refused.length).toBeGreaterThan(requests.length)
    const bare = refused.filter(({ hasDocument }) => !hasDocument)
    expect(bare.map(({ name, bytes, status }) => `${name}, ${bytes}: ${status}`)).toEqual([])
    // What no server could read as HTTP, whatever its length.
    expect(
      long.map(({ status }) => status).filter((status) => ![400, 414, 431].includes(status ?? 0)),
    ).toEqual([])
  })

  it('has measured: a plain request costs something, and clients take memory', () => {
    expect(report.costs.length).toBeGreaterThan(requests.length * 3)
    // CPU time is counted in steps of 10 ms: a few requests to nginx may take none.
    if (rounds >= ciRounds) expect(Math.max(...report.costs.map(({ plainMs }) => plainMs))).toBeGreaterThan(0)
    expect(report.loads.map(({ name }) => name)).toEqual(hasLoad ? loads.map(({ name }) => name) : [])
    for (const { peakMiB } of report.loads) expect(peakMiB).toBeGreaterThan(10)
  })
})
