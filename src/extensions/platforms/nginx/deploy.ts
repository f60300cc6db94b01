/** `fundpress edge nginx`: a stock nginx that caches answers of `fundpress serve`, and the units of `serve`. */

import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { unavailable } from '../../../core/edge/core/standalone.ts'
import { folderOfBucket, fromTemplate, portOf } from '../../../core/edge/deployment.ts'
import type { DeploymentSettings, MakeDeployment } from '../../../core/edge/deployment.ts'
import { limitsOfAll, limitsOfClient, nginxCaches, sizeOfCache } from '../../../core/edge/limits.ts'

export const deployment: MakeDeployment = async (settings) => {
  const { edge, serve, baseUrl } = settings
  if (serve.port === 0)
    throw new Error(
      'serve.port is 0: nginx needs a port at which it finds `fundpress serve`, set one (--port 8080)',
    )
  const ownPort = portOf(baseUrl)
  if (ownPort === serve.port)
    throw new Error(
      `nginx would listen where \`fundpress serve\` does, on port ${ownPort} (baseUrl and serve.port): give that another one, ` +
        `such as --port ${ownPort === 8081 ? 8080 : 8081}`,
    )
  const values = {
    baseUrl,
    host: new URL(baseUrl).hostname,
    port: ownPort,
    upstream: addressOf({ ...serve, host: ownAddresses[serve.host] ?? serve.host }),
    ttl: edge.liveTtlSeconds,
    hsts: edge.hstsSeconds === 0 ? '' : `    ${strictTransport(edge.hstsSeconds)}\n`,
    away: [
      ...(edge.hstsSeconds === 0 ? [] : [strictTransport(edge.hstsSeconds)]),
      ...Object.entries(unavailable.headers).map(headerLine),
    ]
      .map((line) => `        ${line}\n`)
      .join(''),
    awayBody: unavailable.body.text,
    isin: '[A-Z]{2}[A-Z0-9]{9}[0-9]',
    // Each once, in either order.
    query: `(?:[?](?:${format}(?:&${language})?|${language}(?:&${format})?))?`,
    caches: nginxCaches.map(pathOf).join('\n'),
    sizes: nginxCaches
      .map(({ name, lengths }) => `    "~^GET:fundpress_${name}:(?:${lengths}):" "";`)
      .join('\n'),
    diskMiB: sum(nginxCaches.map((cache) => sizeOfCache(cache).maxMiB)),
    requests: limitsOfClient.requests,
    longAnswers: limitsOfClient.longAnswers,
    waitSeconds: limitsOfAll.waitMs / 1000,
    patience: limitsOfAll.nginxPatienceMs / 1000,
    proxies: serve.trustedProxies === null ? '' : forwarded(serve.trustedProxies.split(' ')),
  }
  return [
    { path: 'conf.d/fundpress.conf', text: await fromTemplate('nginx/fundpress.conf', values) },
    { path: 'fundpress-serve.service', text: await unitOf(settings) },
    {
      path: 'fundpress-serve.socket',
      text: (await fromTemplate('systemd/fundpress-serve.socket', {})).replace(
        '127.0.0.1:8080',
        addressOf(serve),
      ),
    },
    { path: 'README.md', text: await fromTemplate('nginx/README.md', values) },
  ]
}

const format = 'format=(?:json|xml|csv)'
const language = 'language=(?:de|en)'

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0)

function pathOf(cache: (typeof nginxCaches)[number]): string {
  const name = `fundpress_${cache.name}`
  const { zoneKiB, maxMiB } = sizeOfCache(cache)
  return (
    `proxy_cache_path /var/cache/nginx/${name} levels=1:2 keys_zone=${name}:${zoneKiB}k max_size=${maxMiB}m ` +
    'inactive=1d use_temp_path=off;'
  )
}

/** The client is the one that proxies before nginx forward. */
const forwarded = (proxies: readonly string[]) =>
  [
    ...proxies.map((proxy) => `set_real_ip_from ${proxy};`),
    'real_ip_header X-Forwarded-For;',
    'real_ip_recursive on;',
  ]
    .map((line) => `    ${line}\n`)
    .join('')

const addressOf = ({ host, port }: Pick<DeploymentSettings['serve'], 'host' | 'port'>) =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${port}`

/** Where nginx comes from, for a `serve` at this address of the same machine. @throws {Error} for a name, which can mean any address */
function nginxSeenFrom(host: string): string {
  const address = ownAddresses[host] ?? (host === 'localhost' ? '127.0.0.1 ::1' : host)
  if (address.split(' ').every((one) => isIP(one) !== 0)) return unitWord(address)
  throw new Error(
    `serve.host is a name, ${host}: \`serve\` has to know nginx by its address, give that (--host 127.0.0.1)`,
  )
}

/** The address for nginx of a `serve` on all addresses, as in a container: its own machine, or its own pod. */
const ownAddresses: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

const strictTransport = (seconds: number) => `add_header Strict-Transport-Security max-age=${seconds} always;`

const headerLine = ([name, value]: [string, string]) =>
  name === 'Content-Type' ? `default_type '${value}';` : `add_header ${name} '${value}' always;`

/** The unit of `templates/systemd`, with the hardening of all units. */
async function unitOf({ bucket, out, serve: { host } }: DeploymentSettings): Promise<string> {
  const isInS3 = bucket.name !== null && folderOfBucket(bucket.name) === null
  const source =
    bucket.name === null ? `--out ${unitWord(resolve(out))}` : `--bucket ${unitWord(bucket.name)}`
  const unit = await fromTemplate('systemd/fundpress-serve.service', {})
  const hardening = await fromTemplate('systemd/fundpress-.service.d/hardening.conf', {})
  const parts = [
    unit
      .replace('--bucket file:///srv/fundpress', () => source)
      .replace('--trusted-proxies 127.0.0.1', () => `--trusted-proxies ${nginxSeenFrom(host)}`),
    hardening,
  ]
  return [...parts, ...(isInS3 ? [network] : [])].join('\n')
}

/** A word of a command line in a unit. Source: systemd.service(5), COMMAND LINES. */
const unitWord = (text: string) =>
  /^[\w./:-]+$/.test(text)
    ? text
    : `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

const network = `# The bucket is on other machines.
[Service]
PrivateNetwork=no
RestrictAddressFamilies=AF_INET AF_INET6
IPAddressDeny=
`
