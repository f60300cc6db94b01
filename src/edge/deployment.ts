/** What the deployments of all platforms share: their settings, their files, templates, and the edge's code as one file. */

import { readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { routeTable } from '../api/derive/route-table.ts'
import { endpoints } from '../api/endpoints/index.ts'

export interface DeploymentSettings {
  readonly baseUrl: string
  readonly docsUrl: string
  /** The snapshot's folder, for an edge that serves files. */
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
    readonly host: string
    readonly port: number
  }
}

/** The path of a bucket that is a folder, or null. @param name `file:///srv/fundpress` */
export const folderOfBucket = (name: string | null): string | null =>
  name?.startsWith('file:') === true ? fileURLToPath(name) : null

/**
 * @returns files with their paths below the folder that they are written to
 * @throws {Error} if the settings lack what this platform needs, with what to set
 */
export type MakeDeployment = (
  settings: DeploymentSettings,
) => Promise<readonly { readonly path: string; readonly text: string }[]>

/** The settings that the edge has on every platform. */
export const edgeConfig = ({ docsUrl, edge }: Pick<DeploymentSettings, 'docsUrl' | 'edge'>) => ({
  table: routeTable(endpoints, docsUrl),
  settings: { cacheControl: edge.cacheControl, errorCacheControl: edge.errorCacheControl },
})

export interface BundleOptions {
  /** The module's text; imports start at `src/edge`: `./cloudflare/worker` with the extension of {@link sourceExtension}. */
  readonly entry: string
  readonly format: 'esm' | 'iife'
  /** The variable for the exports of an iife. */
  readonly globalName?: string
  readonly platform?: 'neutral' | 'node'
  /** The platform's language. Debian's njs needs ES5; `njs` adds what every njs knows beyond that. */
  readonly target: 'es5' | 'njs' | `es20${number}`
  /** Modules that the platform has. */
  readonly external?: readonly string[]
}

/** `.ts` in a checkout, `.js` in the package. */
export const sourceExtension = extname(fileURLToPath(import.meta.url))
const edgeFolder = dirname(fileURLToPath(import.meta.url))

/** @throws {Error} if the entry cannot be bundled */
export async function bundle({
  entry,
  format,
  globalName = '',
  platform = 'neutral',
  target,
  external = [],
}: BundleOptions): Promise<string> {
  const isOld = target === 'es5' || target === 'njs'
  // No other command needs these packages.
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: edgeFolder, loader: 'ts' },
    bundle: true,
    write: false,
    format,
    globalName,
    platform,
    // esbuild cannot write ES5, so swc translates its output.
    target: isOld ? 'es2017' : target,
    minify: !isOld,
    external: [...external],
    legalComments: 'none',
    logLevel: 'silent',
  })
  const code = outputFiles[0]?.text ?? ''
  if (!isOld) return code
  const { transform } = await import('@swc/wasm')
  const minify = { compress: { passes: 3 }, mangle: true }
  const language = target === 'es5' ? { jsc: { target, minify } } : { env: beyondEs5, jsc: { minify } }
  const old = await transform(code, { isModule: false, minify: true, ...language })
  return old.code
}

/** What njs 0.7.9 and CloudFront's runtime 2.0 do not know of ES2017. Arrows, constants and templates stay. */
const beyondEs5 = {
  targets: 'node 8',
  include: [
    'transform-destructuring',
    'transform-parameters',
    'transform-spread',
    'transform-for-of',
    'transform-classes',
  ],
}

/** A file of `templates/` with values in place of `{{name}}`. @throws {Error} for a name that has no value */
export async function fromTemplate(
  path: string,
  values: Readonly<Record<string, string | number>>,
): Promise<string> {
  const text = await readFile(join(edgeFolder, '..', '..', 'templates', path), 'utf8')
  return text.replaceAll(/\{\{([A-Za-z]+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the template ${path} has no value for {{${name}}}`)
    return String(value)
  })
}
