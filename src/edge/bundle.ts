/** Bundles of the edge's code, made by esbuild and swc: by `prepack` for the package, else in a checkout on demand. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from '@swc/wasm'
import { build } from 'esbuild'

interface Bundle {
  readonly module: string
  readonly factory: string
  /** CloudFront's functions run in njs. */
  readonly language: 'njs' | 'es2022'
  readonly platform?: 'neutral' | 'node'
  readonly external?: readonly string[]
}

const bundles = {
  worker: { module: 'cloudflare/worker', factory: 'worker', language: 'es2022' },
  lambda: {
    module: 'cloudfront/lambda',
    factory: 'handlers',
    language: 'es2022',
    platform: 'node',
    external: ['@aws-sdk/client-s3'],
  },
  'viewer-request': { module: 'cloudfront/request', factory: 'viewerRequest', language: 'njs' },
  'viewer-response': { module: 'cloudfront/response', factory: 'viewerResponse', language: 'njs' },
} as const satisfies Readonly<Record<string, Bundle>>

export type BundleName = keyof typeof bundles

/** @returns a script, or a module for ES2022, that assigns a function of the settings to the undeclared variable `fundpress` */
export async function makeBundle(name: BundleName): Promise<string> {
  const { module, factory, language, platform = 'neutral', external = [] }: Bundle = bundles[name]
  const isModule = language === 'es2022'
  const { outputFiles } = await build({
    stdin: {
      contents: `import { ${factory} } from './${module}.ts'\nfundpress = ${factory}`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
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

/** For `prepack`. @param folder from which `readBundle` of the package reads */
export async function writeBundles(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const name of Object.keys(bundles) as BundleName[])
    writeFileSync(join(folder, `${name}.js`), await makeBundle(name))
}
