/** The edge on nginx with njs: for files in a folder, or for a bucket behind nginx's cache. */

import { basename, dirname, resolve } from 'node:path'
import { routeTable } from '../derive/route-table.ts'
import { endpoints } from '../endpoints/index.ts'
import { contentTypeOf } from '../routes/content-types.ts'
import { bundle, fillTemplate, sourceExtension, template } from './bundle.ts'
import type { DeploymentFile, DeploymentSettings, MakeDeployment } from './deployment.ts'
import { originOf } from './nginx-bucket.ts'

/** Source: keys.md. It differs between any two snapshots. */
const markFile = 'manifest.ndjson.gz'

/** Where the bundle finds the keys of a bucket, on the machine that nginx runs on. */
const credentialsFile = '/etc/nginx/fundpress/credentials'

/** Endings of what is text. text/html counts anyway, but without its parameter. */
const compressed = ['html', 'json', 'xml', 'css', 'js', 'svg', 'txt', 'csv', 'atom']

/** Files below `/etc/nginx`, and a README. */
export const nginx: MakeDeployment = async (settings) => {
  const parts = settings.bucket.name === null ? files(settings) : bucket(settings)
  const { host, port } = settings.edge
  if (port === 0) throw new Error('edge.port is 0: nginx needs a port that is known, set one (--port 8080)')
  const values = {
    ...parts.values,
    listen: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    serverName: new URL(settings.baseUrl).hostname,
    baseUrl: settings.baseUrl,
    // Where nginx asks itself for the parts of a range.
    partsPort: port < 65535 ? port + 1 : port - 1,
    ttl: settings.edge.liveTtlSeconds,
    hsts: settings.edge.hstsSeconds === 0 ? '' : strictTransport(settings.edge.hstsSeconds),
    // As edge/adapters/njs.ts has it.
    compressFrom: 1000,
    // nginx takes what edge.js sets for the type with its parameter.
    compressTypes: compressed.map((extension) => `"${contentTypeOf(`.${extension}`)}"`).join('\n    '),
  }
  const filled = async (path: string, more: Readonly<Record<string, string>> = {}) =>
    fillTemplate(await template(`nginx/${path}`), { ...values, ...more })
  const { mode } = parts
  const origin = await filled(`${mode}.conf`)
  return [
    {
      path: 'conf.d/fundpress.conf',
      text: await filled('fundpress.conf', {
        http: await filled(`${mode}-http.conf`),
        partsOrigin: mode === 'bucket' ? indented(origin) : '',
      }),
    },
    {
      path: 'fundpress/locations.conf',
      text: await filled('locations.conf', { origin }),
    },
    { path: 'fundpress/edge.js', text: await edgeScript(parts) },
    { path: 'README.md', text: await filled(`README-${mode}.md`) },
  ] satisfies DeploymentFile[]
}

/** With a line of its own in the template. */
const strictTransport = (seconds: number) =>
  `# Whoever asked over HTTPS once asks over HTTPS only from now on.\nadd_header Strict-Transport-Security max-age=${seconds} always;\n`

const indented = (text: string) => text.replace(/^(?=.)/gm, '    ').trimEnd()

interface Parts {
  readonly mode: 'files' | 'bucket'
  /** What the templates of this mode need. */
  readonly values: Readonly<Record<string, string | number>>
  /** The function of the adapter that makes the handlers, and what it is given. */
  readonly factory: { readonly module: string; readonly name: string; readonly config: object }
}

function files({ out, docsUrl, edge }: DeploymentSettings): Parts {
  const folder = resolve(out)
  const settings = headersOf(edge)
  const config = { folder, markFile, table: routeTable(endpoints, docsUrl), settings }
  return {
    mode: 'files',
    values: { folder, parent: dirname(folder), link: basename(folder) },
    factory: { module: './adapters/njs-files', name: 'filesEdge', config },
  }
}

function bucket({ bucket: given, docsUrl, edge }: DeploymentSettings): Parts {
  const { scheme, host, hostName, base, region, needsResolver } = originOf(given)
  const config = {
    ...{ host, base, region, credentialsFile },
    liveTtlMs: edge.liveTtlSeconds * 1000,
    table: routeTable(endpoints, docsUrl),
    settings: headersOf(edge),
  }
  return {
    mode: 'bucket',
    values: {
      ...{ host, hostName, region, credentialsFile },
      bucket: given.name ?? '',
      keys: given.prefix === '' ? '' : `${given.prefix}/`,
      address: `${scheme}//${host}${base}`,
      cacheSize: '4g',
      resolverSteps: needsResolver ? resolverSteps : '',
      // Looked up under the moment that a time to live began at, up to half of one later.
      keepLive: edge.liveTtlSeconds * 2 + 60,
      resolver: needsResolver
        ? '    # How the name of the bucket is looked up: README.md.\n    include fundpress/resolver.conf;'
        : '',
    },
    factory: { module: './adapters/njs-bucket', name: 'bucketEdge', config },
  }
}

/** nginx looks names up by itself, and does not read resolv.conf. */
const resolverSteps = `Which name server is to be asked for the address of the bucket, from time to time:

\`\`\`
awk '/^nameserver/ { print "resolver " ($2 ~ /:/ ? "[" $2 "]" : $2) " valid=30s;"; exit }' /etc/resolv.conf > /etc/nginx/fundpress/resolver.conf
\`\`\`

`

const headersOf = ({ cacheControl, errorCacheControl }: DeploymentSettings['edge']) => ({
  cacheControl,
  errorCacheControl,
})

/** `export default` and `import` stand around the bundle, which is a plain script: njs knows no other forms of them. */
async function edgeScript({ factory: { module, name, config } }: Parts): Promise<string> {
  const code = await bundle({
    entry:
      `import { ${name} } from '${module}${sourceExtension}'\n` +
      `export default (modules) => ${name}(modules, ${JSON.stringify(config)})`,
    format: 'iife',
    globalName: 'fundpress',
    target: 'es5',
  })
  return [
    '// Made by `fundpress edge nginx`: not to be edited.',
    "import fs from 'fs';",
    "import crypto from 'crypto';",
    code.trimEnd(),
    'export default fundpress.default({ fs: fs, crypto: crypto, env: process.env });',
    '',
  ].join('\n')
}
