/** What `fundpress edge nginx` writes. What nginx makes of it: nginx.test.ts. */
import { describe, expect, it } from 'vitest'
import type { DeploymentSettings } from '../../../src/edge/deployment.ts'
import { nginx, originOf } from '../../../src/edge/nginx/deploy.ts'
import { workerSettings } from '../../support/worker.ts'

const given = workerSettings(5)
const bucket = { ...given.bucket, region: 'eu-central-1' }
const settings: DeploymentSettings = {
  ...given,
  out: '/srv/fundpress/live',
  bucket: { ...bucket, name: null },
  edge: { ...given.edge, port: 8080 },
}

const made = async (given: DeploymentSettings) =>
  new Map((await nginx(given)).map(({ path, text }) => [path, text]))

describe('the files of a deployment', () => {
  it('are a configuration, the code, and a README', async () => {
    const files = await made(settings)
    const configuration = ['conf.d/fundpress.conf', 'fundpress/locations.conf']
    expect([...files.keys()]).toEqual([...configuration, 'fundpress/edge.js', 'README.md'])
    expect(files.get('conf.d/fundpress.conf')).toContain('listen 127.0.0.1:8080;')
    expect(files.get('fundpress/edge.js')).toContain('/srv/fundpress/live')
    expect(files.get('README.md')).toContain('mv -T /srv/fundpress/live.next /srv/fundpress/live')
    expect(files.get('README.md')).toContain('fundpress conform --base http://127.0.0.1:8080 --db')
  })

  it('ask a bucket of AWS at its own address, with the name server of the machine', async () => {
    const files = await made({ ...settings, bucket: { ...bucket, prefix: 'a b/ü' } })
    const locations = files.get('fundpress/locations.conf')
    expect(locations).toContain(
      'proxy_pass https://fund-data.s3.eu-central-1.amazonaws.com/a%20b/%C3%BC/$1$is_args$args;',
    )
    expect(locations).toContain('include fundpress/resolver.conf;')
    expect(files.get('README.md')).toContain('/etc/nginx/fundpress/resolver.conf')
    expect(files.get('README.md')).toContain('"arn:aws:s3:::fund-data/a b/ü/*"')
  })

  it('tell browsers to use only HTTPS if the settings say so', async () => {
    const locations = async (hstsSeconds: number) =>
      (await made({ ...settings, edge: { ...settings.edge, hstsSeconds } })).get('fundpress/locations.conf')
    expect(await locations(0)).not.toContain('add_header')
    expect(await locations(600)).toContain('\nadd_header Strict-Transport-Security max-age=600 always;\n')
  })

  it('need a known port, and the region of a bucket of AWS', async () => {
    await expect(made({ ...settings, edge: { ...settings.edge, port: 0 } })).rejects.toThrow(
      'edge.port is 0: nginx needs a port that is known, set one (--port 8080)',
    )
    await expect(made({ ...settings, bucket: { ...bucket, region: null } })).rejects.toThrow(
      'bucket.region is not set: the address of an AWS bucket has it in it (--region eu-central-1)',
    )
  })
})

it.each([
  [{}, 'https://fund-data.s3.eu-central-1.amazonaws.com', '/'],
  [{ pathStyle: true }, 'https://s3.eu-central-1.amazonaws.com', '/fund-data/'],
  [{ name: 'fund.data' }, 'https://s3.eu-central-1.amazonaws.com', '/fund.data/'],
  [{ region: 'cn-north-1' }, 'https://fund-data.s3.cn-north-1.amazonaws.com.cn', '/'],
  [{ endpoint: 'http://127.0.0.1:9000', prefix: 'x/y' }, 'http://127.0.0.1:9000', '/fund-data/x/y/'],
  [{ endpoint: 'https://minio.example.org/s3' }, 'https://fund-data.minio.example.org', '/s3/'],
])('asks a bucket with %j at %s%s', (more, address, base) => {
  const origin = originOf({ ...bucket, ...more })
  expect(`${origin.scheme}//${origin.host}`).toBe(address)
  expect(origin.base).toBe(base)
})
