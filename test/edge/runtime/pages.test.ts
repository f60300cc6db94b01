/** Pages for people on every platform: the headers that say what a browser may do with them. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { headerOf, rawRequest } from '../../support/request.ts'
import { buildDemoSite, type Site } from '../../support/site.ts'
import { nginxBucket, nginxFiles, platforms, workerd, type Deployment } from './deployments.ts'

const htmlHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

let site: Site

beforeAll(async () => {
  site = await buildDemoSite(1)
  return site.stop
})

describe.each(platforms)('$name', (platform) => {
  const { name, skip, deploy } = platform
  if (skip !== undefined && process.env['CI'] !== 'true') {
    it.skip(skip, () => undefined)
    return
  }
  let deployed: Deployment

  beforeAll(async () => {
    deployed = await deploy(site, 1, name.startsWith('nginx') ? ['--hsts', '600'] : [])
    return deployed.stop
  })

  const headersOf = async (target: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await rawRequest(deployed.base, { target, headers })
    const names = [...Object.keys(htmlHeaders), 'x-content-type-options', 'strict-transport-security']
    return [answer.status, Object.fromEntries(names.map((each) => [each, headerOf(answer, each)]))] as const
  }
  const always = {
    'x-content-type-options': 'nosniff',
    'strict-transport-security': name.startsWith('nginx') ? 'max-age=600' : undefined,
  }
  const none = Object.fromEntries(Object.keys(htmlHeaders).map((each) => [each, undefined]))

  const inManifest = ['/docs/', '/docs/de/explorer/', '/funds/']
  const besides = ['/status/de.html', '/downloads/latest/']

  // The bucket of the Worker's tests holds what the manifest lists.
  it.each(platform === workerd ? inManifest : [...inManifest, ...besides])(
    'tells what a browser may do with %s',
    async (target) => {
      expect(await headersOf(target)).toEqual([200, { ...htmlHeaders, ...always }])
    },
  )

  it.each([
    ['/docs/assets/style.css', 200],
    ['/openapi.json', 200],
    ['/api/v1/prices-current-all/', 200],
    ['/nothing/', 404],
  ])('says nothing of that about %s', async (target, status) => {
    expect(await headersOf(target)).toEqual([status, { ...none, ...always }])
  })

  it.runIf(name.startsWith('nginx'))('does so, too, if nginx asks itself', async () => {
    expect(await headersOf('/docs/', { 'if-match': '"x"' })).toEqual([200, { ...htmlHeaders, ...always }])
  })

  it.runIf(platform === nginxFiles)('does so, too, if nginx sends the file itself', async () => {
    const large = join(site.out, 'docs/large.html')
    writeFileSync(large, ' '.repeat(2 * 1024 * 1024))
    expect(await headersOf('/docs/large.html')).toEqual([200, { ...htmlHeaders, ...always }])
    rmSync(large)
  })

  it.runIf(platform === nginxBucket)('does so, too, if nginx sends an object past edge.js', async () => {
    deployed.addDownload('large.html', Buffer.alloc(2 * 1024 * 1024, ' '))
    expect(await headersOf('/downloads/latest/large.html')).toEqual([200, { ...htmlHeaders, ...always }])
  })
})
