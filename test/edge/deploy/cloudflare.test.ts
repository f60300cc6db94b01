/** What `fundpress edge cloudflare` writes. Its answers: test/edge/runtime/conformance.test.ts. */
import { gzipSync } from 'node:zlib'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  compatibilityDate,
  deployment as cloudflare,
} from '../../../src/extensions/platforms/cloudflare/deploy.ts'
import type { DeploymentSettings } from '../../../src/core/edge/deployment.ts'
import { makeTempFolder, mustRun, runFundpress } from '../../support/product.ts'
import { edgeSettings } from '../../support/edge-settings.ts'

async function make(settings: Partial<DeploymentSettings> = {}): Promise<Record<string, string>> {
  const files = await cloudflare({ ...edgeSettings(5), ...settings })
  return Object.fromEntries(files.map(({ path, text }) => [path, text]))
}

const readJsonc = (text = ''): unknown =>
  JSON.parse(text.replace(/^\s*\/\/.*$/gm, '').replace(/,(\s*[}\]])/g, '$1'))

it('writes a module, its configuration and how to deploy them', async () => {
  const files = await make()
  expect(Object.keys(files).sort()).toEqual(['README.md', 'worker.js', 'wrangler.jsonc'])
  expect(readJsonc(files['wrangler.jsonc'])).toEqual({
    name: 'fund-data',
    main: 'worker.js',
    compatibility_date: compatibilityDate,
    no_bundle: true,
    routes: [{ pattern: 'api.example.org', custom_domain: true }],
    workers_dev: false,
    preview_urls: false,
    r2_buckets: [{ binding: 'BUCKET', bucket_name: 'fund-data' }],
    observability: { enabled: true, head_sampling_rate: 0.01 },
  })
  const toBucket = '--bucket fund-data --endpoint https://<account>.r2.cloudflarestorage.com --region auto'
  const wrangler = [
    'npm install --global wrangler@4',
    '\nwrangler r2 bucket create fund-data\n',
    '\nwrangler deploy',
  ]
  for (const command of [...wrangler, `publish ${toBucket}`, 'conform --base https://api.example.org --db'])
    expect(files['README.md']).toContain(command)
  expect(Object.values(files).join('')).not.toMatch(/\{\{|undefined/)
})

it('makes a module of a few kilobytes that needs nothing of Node', async () => {
  const code = (await make())['worker.js'] ?? ''
  expect(code).not.toMatch(/\bnode:|\brequire\(|\bprocess\.|\bBuffer\b|\bimport\b/)
  expect(code.length).toBeLessThan(41_000)
  expect(gzipSync(code).length).toBeLessThan(15_600)
})

it('puts the settings into the module', async () => {
  const code = (await make(edgeSettings(17, 'some/folder')))['worker.js'] ?? ''
  const caching = ['"public, max-age=60"', 'stale-if-error=86400']
  for (const text of ['"liveTtlSeconds":17', '"prefix":"some/folder/"', ...caching])
    expect(code).toContain(text)
  const place = { name: 'api.funds', endpoint: 'https://eu.example', prefix: 'p' }
  const named = await make({ bucket: { ...edgeSettings(5).bucket, ...place } })
  const r2_buckets = [{ bucket_name: 'api.funds' }]
  expect(readJsonc(named['wrangler.jsonc'])).toMatchObject({ name: 'api-funds', r2_buckets })
  expect(named['README.md']).toContain('--bucket api.funds --prefix p --endpoint https://eu.example')
})

it('takes an address of workers.dev if the config file has none', async () => {
  const files = await make({ baseUrl: 'http://localhost:8080' })
  expect(files['README.md']).toContain('conform --base https://fund-data.<subdomain>.workers.dev --db')
  const wrangler = readJsonc(files['wrangler.jsonc'])
  expect(wrangler).toMatchObject({ workers_dev: true })
  expect(wrangler).not.toHaveProperty('routes')
})

it('is written by the command, which says what to set if the bucket is missing', async () => {
  const folder = makeTempFolder()
  const said = await mustRun(['edge', 'cloudflare', '--bucket', 'fund-data', '--dest', folder.file('edge')])
  const files = ['worker.js', 'wrangler.jsonc', 'README.md'].map((name) => folder.file(`edge/${name}`))
  expect(said.trim().split('\n')).toEqual(files)
  expect(readFileSync(folder.file('edge/worker.js'), 'utf8')).toContain('export default ')
  const { code, stderr } = await runFundpress(['edge', 'cloudflare', '--dest', folder.file('none')])
  expect(code).not.toBe(0)
  expect(stderr).toContain('set bucket.name in the config file, or give --bucket')
  folder.remove()
})
