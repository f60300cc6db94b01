/** The edge's code as one file, for a platform that is to run it. */

import { readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface BundleOptions {
  /** The module's text; imports start at `src/edge`: `./adapters/worker` with the extension of {@link sourceExtension}. */
  readonly entry: string
  readonly format: 'esm' | 'iife'
  /** Of an iife: the variable that its exports are in. */
  readonly globalName?: string
  readonly platform?: 'neutral' | 'node'
  /** What the language of the platform is. ES5 is what Debian's njs needs; `njs` is what it knows beyond that. */
  readonly target: 'es5' | 'njs' | `es20${number}`
  readonly minify?: boolean
  /** Modules that the platform has. */
  readonly external?: readonly string[]
  /** Shorter names for properties that nothing outside of the bundle knows; not where they stand in quotation marks. */
  readonly shortNames?: Readonly<Record<string, string>>
}

/** `.ts` in a checkout, `.js` in the package. */
export const sourceExtension = extname(fileURLToPath(import.meta.url))

const edgeFolder = join(dirname(fileURLToPath(import.meta.url)), '..', 'edge')

/** @throws {Error} if the entry cannot be bundled */
export async function bundle(options: BundleOptions): Promise<string> {
  const { entry, format, globalName, platform = 'neutral', target, minify = true, external = [] } = options
  const { shortNames } = options
  const isOld = target === 'es5' || target === 'njs'
  // Loaded here: no other command needs them.
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: edgeFolder, loader: 'ts' },
    bundle: true,
    write: false,
    format,
    ...(globalName === undefined ? {} : { globalName }),
    platform,
    // esbuild cannot write ES5: swc takes what it writes down to that.
    target: isOld ? 'es2017' : target,
    minify: minify && !isOld,
    ...(shortNames === undefined ? {} : shorten(shortNames)),
    external: [...external],
    legalComments: 'none',
    logLevel: 'silent',
  })
  const code = outputFiles[0]?.text ?? ''
  if (!isOld) return code
  const { transform } = await import('@swc/wasm')
  const old = await transform(code, {
    isModule: false,
    ...(target === 'es5' ? {} : { env: beyondEs5 }),
    jsc: {
      ...(target === 'es5' ? { target } : {}),
      ...(minify ? { minify: { compress: { passes: 3 }, mangle: true } } : {}),
    },
    minify,
  })
  return old.code
}

function shorten(names: Readonly<Record<string, string>>) {
  const mangleProps = new RegExp(`^(?:${Object.keys(names).join('|')})$`)
  return { mangleProps, mangleCache: { ...names } }
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

/** A file of `templates/`, as text. */
export function template(path: string): Promise<string> {
  return readFile(join(edgeFolder, '..', '..', 'templates', path), 'utf8')
}

/**
 * Puts values in place of `{{name}}`.
 * @throws {Error} for a name that has no value
 */
export function fillTemplate(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{\{([A-Za-z]+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the template has no value for {{${name}}}`)
    return String(value)
  })
}
