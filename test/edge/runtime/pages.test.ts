/** Pages for people on every platform: the headers that say what a browser may do with them. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { headerOf, rawRequest } from '../../support/request.ts'
import { buildDemoSite, type Site } from '../../support/site.ts'
import { describePlatforms, nginxBucket, nginxFiles, workerd, type Deployment } from './deployments.ts'

const htmlHeaders: Readonly<Record<string, string>> = {
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

describePlatforms((platform) => {
  let deployed: Deployment
  const isNginx = platform.name.startsWith('nginx')

  beforeAll(async () => {
    deployed = await platform.deploy(site, 1, isNginx ? ['--hsts', '600'] : [])
    return deployed.stop
  })

  const expectHeaders = async (target: string, { status = 200, isHtml = true } = {}, headers = {}) => {
    const answer = await rawRequest(deployed.base, { target, headers })
    expect(answer.status).toBe(status)
    for (const [name, value] of Object.entries(htmlHeaders))
      expect([target, name, headerOf(answer, name)]).toEqual([target, name, isHtml ? value : undefined])
    expect(headerOf(answer, 'x-content-type-options')).toBe('nosniff')
    expect(headerOf(answer, 'strict-transport-security')).toBe(isNginx ? 'max-age=600' : undefined)
  }

  it('says what a browser may do with a page', async () => {
    for (const target of ['/docs/', '/docs/de/explorer/', '/funds/']) await expectHeaders(target)
    // The bucket of the Worker's tests holds only what the manifest lists.
    if (platform === workerd) return
    for (const target of ['/status/de.html', '/downloads/latest/']) await expectHeaders(target)
  })

  it('sends no such headers with other files and answers', async () => {
    for (const target of ['/docs/assets/style.css', '/openapi.json', '/api/v1/prices-current-all/'])
      await expectHeaders(target, { isHtml: false })
    await expectHeaders('/nothing/', { status: 404, isHtml: false })
  })

  it.runIf(isNginx)('says so if nginx asks itself', () => expectHeaders('/docs/', {}, { 'if-match': '"x"' }))

  it.runIf(platform === nginxFiles)('says so if nginx sends the file itself', async () => {
    const large = join(site.out, 'docs/large.html')
    writeFileSync(large, ' '.repeat(2 * 1024 * 1024))
    await expectHeaders('/docs/large.html')
    rmSync(large)
  })

  it.runIf(platform === nginxBucket)('says so if nginx sends an object past edge.js', async () => {
    deployed.addDownload('large.html', Buffer.alloc(2 * 1024 * 1024, ' '))
    await expectHeaders('/downloads/latest/large.html')
  })
})
