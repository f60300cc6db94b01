/** Bundles of the edge's code, made by esbuild and swc: by `prepack` for the package, else in a checkout on demand. */

import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from '@swc/wasm'
import { build } from 'esbuild'

export interface Bundle {
  /** Names its file in the package. */
  readonly name: string
  /** The module that exports the factory. */
  readonly module: URL
  readonly factory: string
  /** CloudFront's functions run in njs. */
  readonly language: 'njs' | 'es2022'
  readonly platform?: 'neutral' | 'node'
  readonly external?: readonly string[]
}

/** @returns a script, or a module for ES2022, that assigns a function of the settings to the undeclared variable `fundpress` */
export async function makeBundle({
  module,
  factory,
  language,
  platform = 'neutral',
  external = [],
}: Bundle): Promise<string> {
  const isModule = language === 'es2022'
  const { outputFiles } = await build({
    stdin: {
      contents: `import { ${factory} } from '${fileURLToPath(module)}'\nfundpress = ${factory}`,
      resolveDir: dirname(fileURLToPath(module)),
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: isModule ? 'esm' : 'iife',
    platform,
    // esbuild cannot go below ES2017, so swc translates its output for njs.
    target: isModule ? language : 'es2017',
    minify: isModule,
    external: [...external],
    legalComments: 'none',
    logLevel: 'silent',
  })
  const code = outputFiles[0]?.text ?? ''
  if (isModule) return code
  const jsc = { minify: { compress: { passes: 3 }, mangle: true } }
  return (await transform(code, { isModule: false, minify: true, env: beyondEs5, jsc })).code
}

/** The parts of ES2017 that njs 0.7.9 and CloudFront's runtime 2.0 lack. Arrows, constants and templates stay. */
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
