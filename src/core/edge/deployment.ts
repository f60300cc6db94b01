import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { routeTable } from '../api/derive/route-table.ts'
import { endpoints } from '../api/endpoints/index.ts'
import type { Bundle } from './bundle.ts'

export interface DeploymentSettings {
  readonly baseUrl: string
  readonly docsUrl: string
  readonly out: string
  readonly bucket: {
    /** Null: an edge that serves files. `file:///srv/fundpress`: a folder of this machine. */
    readonly name: string | null
    readonly endpoint: string | null
    readonly region: string | null
    readonly prefix: string
    readonly pathStyle: boolean
  }
  readonly edge: {
    readonly cacheControl: string
    readonly errorCacheControl: string
    readonly liveTtlSeconds: number
    /** `max-age` of Strict-Transport-Security; 0 for none. */
    readonly hstsSeconds: number
    /** Null: no preview. */
    readonly previewToken: string | null
  }
  readonly serve: {
    readonly host: string
    readonly port: number
    /** Proxies before the edge, separated by spaces; null: none. */
    readonly trustedProxies: string | null
  }
}

/** @param name `file:///srv/fundpress` @returns the path, or null for another bucket */
export const folderOfBucket = (name: string | null): string | null =>
  name?.startsWith('file:') === true ? fileURLToPath(name) : null

/** @returns files, with paths below the deployment's folder; `isSecret`: only their owner may read them @throws {Error} that names a missing setting */
export type MakeDeployment = (
  settings: DeploymentSettings,
) => Promise<readonly { readonly path: string; readonly text: string; readonly isSecret?: boolean }[]>

/** The stack of a bucket. Names of CloudFront (64 characters) and of the bucket with the code (63) begin with it. */
export const stackName = (bucket: string): string => `fundpress-${bucket.replaceAll('.', '-')}`.slice(0, 45)

/** The law under which R2 keeps the bucket, `eu`; null without one. Source: Cloudflare's page "Data location". */
export const jurisdictionOf = (endpoint: string | null): string | null =>
  /^https:\/\/[^./]+\.(\w+)\.r2\.cloudflarestorage\.com\/?$/.exec(endpoint ?? '')?.[1] ?? null

/** The port of a server at this address. A proxy in front, or lines for TLS, add https. */
export function portOf(baseUrl: string): number {
  const { port, protocol } = new URL(baseUrl)
  return protocol === 'http:' && port !== '' ? Number(port) : 80
}

export const edgeConfig = ({
  docsUrl,
  edge: { cacheControl, errorCacheControl },
}: Pick<DeploymentSettings, 'docsUrl' | 'edge'>) => ({
  table: routeTable(endpoints, docsUrl),
  settings: { cacheControl, errorCacheControl },
})

const edgeFolder = dirname(fileURLToPath(import.meta.url))

/** Folder of the package that has the bundles as files. */
export const bundlesFolder = 'bundles'

/** @returns the code of a bundle: the package has it as a file, a checkout makes it */
export async function readBundle(bundle: Bundle): Promise<string> {
  const file = join(edgeFolder, bundlesFolder, `${bundle.name}.js`)
  if (existsSync(file)) return readFile(file, 'utf8')
  // The package lacks this module, and esbuild and swc.
  const { makeBundle } = await import('./bundle.ts')
  return makeBundle(bundle)
}

/** A value as JavaScript in ASCII: ES5 ends a line at some characters, and njs may read bytes. */
export const asScript = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** A file of `templates/` with values in place of `{{name}}`. @throws {Error} for a name without a value */
export async function fromTemplate(
  path: string,
  values: Readonly<Record<string, string | number>>,
): Promise<string> {
  const text = await readFile(join(edgeFolder, '../../..', 'templates', path), 'utf8')
  return text.replaceAll(/\{\{([A-Za-z]+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the template ${path} has no value for {{${name}}}`)
    return String(value)
  })
}
