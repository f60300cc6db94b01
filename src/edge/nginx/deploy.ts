/**
 * What `fundpress edge` writes for nginx with njs: `nginx-files` for a snapshot's folder, `nginx-folder` for a bucket that is a
 * folder, `nginx-bucket` for a bucket behind nginx's cache.
 */

import { isIP } from 'node:net'
import { basename, dirname, join, resolve } from 'node:path'
import { contentTypeOf } from '../../api/routes/content-types.ts'
import { asScript, edgeConfig, folderOfBucket, fromTemplate, readBundle } from '../deployment.ts'
import type { DeploymentSettings, MakeDeployment } from '../deployment.ts'
import { worthCompressing } from '../core/finish.ts'
import { fastPath } from './fast-path.ts'
import { encodeForS3 } from './signature.ts'

/** Differs between any two snapshots. Source: src/bucket/keys.md. */
const markFile = 'manifest.ndjson.gz'
/** The bundle reads the keys of a bucket from this file on the machine of nginx. */
const credentialsFile = '/etc/nginx/fundpress/credentials'
/** The endings of text files. nginx always compresses text/html, but only without a parameter. */
const compressed = ['html', 'json', 'xml', 'css', 'js', 'svg', 'txt', 'csv', 'atom']

export const nginxFiles: MakeDeployment = (settings) => deploymentOf(settings, files(settings))
export const nginxFolder: MakeDeployment = (settings) => deploymentOf(settings, folder(settings))
export const nginxBucket: MakeDeployment = (settings) => deploymentOf(settings, bucket(settings))

/** Files below `/etc/nginx`, and a README. */
async function deploymentOf(settings: DeploymentSettings, parts: Parts): ReturnType<MakeDeployment> {
  const { host, port } = settings.serve
  if (port === 0) throw new Error('serve.port is 0: nginx needs a port that is known, set one (--port 8080)')
  const listen = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const values = {
    ...parts.values,
    listen,
    url: `http://${listen}`,
    serverName: new URL(settings.baseUrl).hostname,
    baseUrl: settings.baseUrl,
    // nginx asks itself for the parts of a range there.
    partsPort: port < 65535 ? port + 1 : port - 1,
    ttl: settings.edge.liveTtlSeconds,
    hsts: settings.edge.hstsSeconds === 0 ? '' : strictTransport(settings.edge.hstsSeconds),
    compressFrom: worthCompressing,
    // edge.js sets types with their parameters, and nginx compares them as they are.
    compressTypes: compressed.map((extension) => `"${contentTypeOf(`.${extension}`)}"`).join('\n    '),
  }
  const filled = (path: string, more: Readonly<Record<string, string>> = {}) =>
    fromTemplate(`nginx/${path}`, { ...values, ...more })
  const { mode } = parts
  // A bucket that is a folder has files, too.
  const kind = mode === 'folder' ? 'files' : mode
  const origin = await filled(`${kind}.conf`)
  const partsOrigin = mode === 'bucket' ? indented(origin + (await filled('bucket-parts.conf'))) : ''
  const http = await filled(`${kind}-http.conf`)
  const fast =
    mode === 'files' ? fastPath(parts.config.table, parts.config.settings, parts.config.folder) : null
  const entrance =
    fast === null
      ? 'location / {\n    js_content fundpress.respond;\n}\n'
      : await filled('fast-path.conf', {
          root: fast.root,
          types: indented(fast.types, 8),
          headers: indented(values.hsts + fast.headers),
        })
  return [
    {
      path: 'conf.d/fundpress.conf',
      text: await filled('fundpress.conf', { http: http + (fast?.maps ?? ''), partsOrigin }),
    },
    { path: 'fundpress/locations.conf', text: await filled('locations.conf', { origin, entrance }) },
    { path: 'fundpress/edge.js', text: await edgeScript(parts) },
    { path: 'README.md', text: await filled(`README-${mode}.md`) },
  ]
}

const strictTransport = (seconds: number) =>
  `# Browsers that have used HTTPS once use nothing else from then on.\nadd_header Strict-Transport-Security max-age=${seconds} always;\n`

const indented = (text: string, blanks = 4) => text.replace(/^(?=.)/gm, ' '.repeat(blanks)).trimEnd()

/** What differs between the modes: values for the templates, and an argument of the adapter: `filesEdge`, `folderEdge` or `bucketEdge`. */
type Parts = ReturnType<typeof files | typeof folder | typeof bucket>

function files(settings: DeploymentSettings) {
  const folder = resolve(settings.out)
  return {
    mode: 'files' as const,
    values: { folder, parent: dirname(folder), link: basename(folder) },
    config: { folder, markFile, ...edgeConfig(settings) },
  }
}

/** @throws {Error} if the bucket is none that is a folder */
function folder(settings: DeploymentSettings) {
  const { name, prefix } = settings.bucket
  const base = folderOfBucket(name)
  if (base === null)
    throw new Error(
      'bucket.name is no folder: nginx-folder needs one, such as --bucket file:///srv/fundpress',
    )
  const root = join(base, prefix)
  const prefixFlag = prefix === '' ? '' : ` --prefix ${prefix}`
  return {
    mode: 'folder' as const,
    values: { folder: root, base, bucket: name ?? '', prefixFlag },
    config: { folder: root, previewToken: settings.edge.previewToken, ...edgeConfig(settings) },
  }
}

/** @throws {Error} without the address of a bucket */
function bucket(settings: DeploymentSettings) {
  const { bucket: given, edge } = settings
  const { scheme, host, hostName, base, region, needsResolver } = originOf(given)
  const address = { host, base, region, credentialsFile }
  return {
    mode: 'bucket' as const,
    values: {
      ...address,
      hostName,
      bucket: given.name ?? '',
      keys: given.prefix === '' ? '' : `${given.prefix}/`,
      address: `${scheme}//${host}${base}`,
      cacheSize: '4g',
      resolverSteps: needsResolver ? resolverSteps : '',
      // Before the time is over, so that nobody waits for it: a look may take 2 s, and nginx counts in whole seconds.
      lookAgain: Math.max(edge.liveTtlSeconds - 3, 1),
      resolver: needsResolver
        ? '    # The name server for the address of the bucket: README.md.\n    include fundpress/resolver.conf;'
        : '',
    },
    config: {
      ...address,
      liveTtlMs: edge.liveTtlSeconds * 1000,
      previewToken: edge.previewToken,
      ...edgeConfig(settings),
    },
  }
}

/** nginx resolves names by itself and does not read resolv.conf. */
const resolverSteps = `Tell nginx which name server to ask for the address of the bucket:

\`\`\`
awk '/^nameserver/ { print "resolver " ($2 ~ /:/ ? "[" $2 "]" : $2) " valid=30s;"; exit }' /etc/resolv.conf > /etc/nginx/fundpress/resolver.conf
\`\`\`

`

/** The bundle is a plain script between `import` and `export default`: njs knows no other forms of these. */
async function edgeScript({ mode, config: { table, ...config } }: Parts): Promise<string> {
  const ranges = table.routes.filter(({ series }) => series !== undefined)
  // njs runs all of this anew for each request. A range needs no table, which takes a fifth of a short one's time.
  const made = [asScript({ ...config, ranges }), `function(){return ${asScript(table)}}`]
  return [
    `// Made by \`fundpress edge nginx-${mode}\`. Do not edit it.`,
    "import fs from 'fs';",
    "import crypto from 'crypto';",
    `var fundpress;${await readBundle(`nginx-${mode}`)}`,
    `export default fundpress({ fs: fs, crypto: crypto, env: process.env }, ${made.join(', ')});`,
    '',
  ].join('\n')
}

/**
 * The address that a bucket's keys are appended to. `base` begins and ends with a slash and is percent-encoded.
 * @throws {Error} without a region on AWS
 */
export function originOf({ name, endpoint, region, prefix, pathStyle }: DeploymentSettings['bucket']) {
  if (name === null) throw new Error('bucket.name is not set')
  if (folderOfBucket(name) !== null)
    throw new Error('bucket.name is a folder: `fundpress edge nginx-folder` answers from it')
  if (endpoint === null && region === null)
    throw new Error(
      'bucket.region is not set: the address of an AWS bucket has it in it (--region eu-central-1)',
    )
  const url = new URL(endpoint ?? awsEndpoint(region ?? ''))
  // A certificate for *.s3.… is not valid for a name with dots, and an IP address has no subdomains.
  const isInPath = pathStyle || name.includes('.') || isIP(bare(url.hostname)) !== 0
  if (!isInPath) url.hostname = `${name}.${url.hostname}`
  const inEndpoint = url.pathname.split('/').map(decodeURIComponent)
  const folders = [...inEndpoint, isInPath ? name : '', ...prefix.split('/')]
  const path = folders.filter((folder) => folder !== '').map(encodeForS3)
  return {
    scheme: url.protocol === 'http:' ? 'http:' : 'https:',
    /** With its port, unless it is the scheme's own. */
    host: url.host,
    hostName: url.hostname,
    base: ['', ...path, ''].join('/'),
    region: region ?? 'auto',
    needsResolver: isIP(bare(url.hostname)) === 0,
  }
}

const awsEndpoint = (region: string) =>
  `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '')
