/** What `fundpress edge nginx-files` and `nginx-bucket` write. What nginx makes of it: nginx.test.ts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { DeploymentSettings } from '../../../src/edge/deployment.ts'
import { nginxBucket, nginxFiles, originOf } from '../../../src/edge/nginx/deploy.ts'
import { expectFailure, expectSuccess } from '../../cli/outcome.ts'
import { run } from '../../cli/run.ts'
import { tempFolder } from '../../support/product.ts'
import { workerSettings } from '../../support/worker.ts'

const given = workerSettings(5)
const bucket = { ...given.bucket, region: 'eu-central-1' }
const settings: DeploymentSettings = {
  ...given,
  out: '/srv/fundpress/live',
  bucket: { ...bucket, name: null },
  serve: { ...given.serve, port: 8080 },
}

const made = async (given: DeploymentSettings) =>
  new Map(
    (await (given.bucket.name === null ? nginxFiles : nginxBucket)(given)).map(({ path, text }) => [
      path,
      text,
    ]),
  )

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
    expect(await locations(0)).not.toContain('add_header Strict')
    const line = 'add_header Strict-Transport-Security max-age=600 always;'
    // A location with headers of its own has none of the others.
    expect((await locations(600))?.split(line)).toHaveLength(3)
  })

  it('name a folder as nginx reads it, whatever its name is', async () => {
    const files = await made({ ...settings, out: '/srv/fund press;"live"' })
    expect(files.get('fundpress/locations.conf')).toContain('root "/srv/fund press;\\"live\\"";')
    await expect(made({ ...settings, out: '/srv/$live' })).rejects.toThrow(
      'out has a $, which nginx takes for',
    )
  })

  it('refuse a Cache-Control that nginx would read otherwise', async () => {
    await expect(made({ ...settings, edge: { ...settings.edge, cacheControl: 'a="$b"' } })).rejects.toThrow(
      'edge.cacheControl has a $, which nginx takes for the beginning of a variable',
    )
  })

  it('need a known port, and the region of a bucket of AWS', async () => {
    await expect(made({ ...settings, serve: { ...settings.serve, port: 0 } })).rejects.toThrow(
      'serve.port is 0: nginx needs a port that is known, set one (--port 8080)',
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

describe('the mode', () => {
  const folder = tempFolder()
  const config = { bucket: { name: 'fund-data', region: 'eu-central-1' } }
  writeFileSync(folder.file('fundpress.config.json'), JSON.stringify(config))
  writeFileSync(folder.file('no-bucket.json'), '{}')
  const edge = (words: string) => run(`edge ${words} --dest edge`, { cwd: folder.path })

  it.each([
    ['nginx-files', 'files'],
    ['nginx-bucket', 'bucket'],
    ['nginx', 'bucket'],
    ['nginx --out out', 'files'],
    ['nginx --config no-bucket.json', 'files'],
    ['nginx --config no-bucket.json --bucket other --region eu-central-1', 'bucket'],
  ])('of `edge %s` is %s, beside a bucket in the config file', async (words, mode) => {
    await expectSuccess(edge(words))
    const script = readFileSync(folder.file('edge/fundpress/edge.js'), 'utf8')
    expect(script).toContain(`Made by \`fundpress edge nginx-${mode}\``)
    expect(readFileSync(folder.file('edge/README.md'), 'utf8')).toContain(`\`fundpress edge nginx-${mode}\``)
  })

  it('is not guessed from flags that contradict each other', async () => {
    const modes =
      '--out and --bucket exclude each other: `fundpress edge nginx-files` answers from a folder, `nginx-bucket` from a bucket'
    await expectFailure(edge('nginx --out out --bucket fund-data'), modes, 2)
    await expectFailure(edge('nginx-bucket --config no-bucket.json'), '--bucket <name> is missing', 2)
    const ofFolder = edge('nginx-bucket --config no-bucket.json --bucket file:///srv/fundpress')
    await expectFailure(ofFolder, 'bucket.name is a folder: `fundpress edge nginx-folder` answers from it')
  })
})
