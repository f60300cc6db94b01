/**
 * Settings that change what is published and no object of the snapshot: a publish is not done before they are live. And
 * those that should not be published at all.
 */
import { expect, it } from 'vitest'
import { expectSuccess } from '../cli/outcome.ts'
import { withLocalNames } from '../support/local-names.ts'
import { press, useNights } from './nightly/nightly.ts'

type Environment = Readonly<Record<string, string>>
useNights(1)

const allowing = '--allow settings --reason test'

const publish = async (out: string, env: Environment = {}) => {
  const { code, stdout, stderr } = await press.fundpress(
    `publish --out ${out} --json --quiet ${allowing}`,
    env,
  )
  expect({ code, stderr: stderr.replace(/^fundpress: .*: 4 files are replaced, 0 removed\n$/, '') }).toEqual({
    code: 0,
    stderr: '',
  })
  return JSON.parse(stdout) as Readonly<Record<'snapshot' | 'slot', string>>
}
const buildAndPublish = async (env: Environment) => {
  const withDocs = { FUNDPRESS_DOCS_URL: 'https://docs.example.org', ...env }
  await expectSuccess(press.bare('build --db funds.sqlite --out next --as-of 2026-11-11 --quiet', withDocs))
  return publish('next', env)
}
const live = (key: string) => press.bucket.body(`${press.bucket.live()?.slot ?? ''}/${key}`).toString()
const requestsOf = async (work: () => Promise<unknown>) => {
  press.server.reset()
  await work()
  return press.server.counts()
}

it('publishes other thresholds, another address and another licence, each once, under the same snapshot id', async () => {
  const first = await publish('night-1')
  expect(await requestsOf(() => publish('night-1'))).toEqual({ GetObject: 1 })

  const thresholds = { FUNDPRESS_FRESHNESS_WARN_DAYS: '0' }
  const late = await buildAndPublish(thresholds)
  expect(late).toMatchObject({ snapshot: first.snapshot, slot: 'green', outcome: 'flipped' })
  expect(JSON.parse(live('status/index.json'))).toMatchObject({ freshness: { fresh: 0, late: 1 } })
  expect(press.bucket.faultsOf('green')).toEqual([])
  expect(await requestsOf(() => publish('next'))).toEqual({ GetObject: 1 })

  const address = { ...thresholds, FUNDPRESS_BASE_URL: 'https://api.example.com' }
  expect(live('changes/feed.xml')).not.toContain('https://api.example.com')
  expect(await publish('next', address)).toMatchObject({ slot: 'blue', outcome: 'flipped' })
  expect(live('changes/feed.xml')).toContain('https://api.example.com/changes/')

  const withDownloads = { ...address, FUNDPRESS_DOWNLOADS: 'true' }
  const licensed = (name: string) => ({ ...withDownloads, FUNDPRESS_LICENCE_NAME: name })
  const licence = () => press.bucket.body(`${press.bucket.downloads()}datapackage.json`).toString()
  expect(await buildAndPublish(licensed('CC-BY-4.0'))).toMatchObject({ outcome: 'flipped' })
  expect(licence()).toContain('CC-BY-4.0')
  const before = press.bucket.downloads()
  expect(before).toBe(`downloads/${first.snapshot}/`)
  expect(await buildAndPublish(licensed('ODbL-1.0'))).toMatchObject({ outcome: 'flipped' })
  expect(licence()).not.toContain('CC-BY-4.0')
  expect(licence()).toContain('ODbL-1.0')
  // The same id, other files: those that were live are as they were, for a rollback.
  expect(press.bucket.body(`${before}datapackage.json`).toString()).toContain('CC-BY-4.0')
  expect(await requestsOf(() => publish('next', address))).toEqual({ GetObject: 1 })
  expect((await press.json<{ isLive: boolean }>('plan --out next')).isLive).toBe(false)
})

it('warns of a local address in a public bucket', async () => {
  const FUNDPRESS_BUCKET_ENDPOINT = `http://s3.test:${new URL(press.server.endpoint).port}`
  const env = { ...withLocalNames, FUNDPRESS_BUCKET_ENDPOINT }
  const place = '--bucket funds --path-style --region us-east-1'
  const nightly = `nightly --db funds.sqlite --as-of 2026-11-11 ${place}`
  const local = await press.bare(nightly, env)
  expect(local.code).toBe(0)
  expect(local.stderr).toMatch(
    /^warning {2}publish: baseUrl is http:\/\/localhost:8080: [^\n]*set "baseUrl" \(FUNDPRESS_BASE_URL\)[^\n]*\n$/,
  )
  const named = { ...env, FUNDPRESS_BASE_URL: 'https://api.example.com' }
  expect(await press.bare(`${nightly} ${allowing}`, named)).toMatchObject({ code: 0 })
  const docs = { ...named, FUNDPRESS_DOCS_URL: 'http://127.0.0.1/docs' }
  const published = await press.bare(`publish ${place} --quiet`, docs)
  expect(published.code).toBe(0)
  expect(published.stderr).toMatch(
    /^fundpress: docsUrl is http:\/\/127\.0\.0\.1\/docs: [^\n]*set "docsUrl"[^\n]*\n$/,
  )
})
