/** The scripts of pages, each as one file: of the browser's modules and what they share with the build. */

import { build } from 'esbuild'
import { fileURLToPath } from 'node:url'

/** File names in `templates/pages/`, and the module that each is made of. */
const entries: Readonly<Record<string, string>> = {
  'fund.js': 'fund.ts',
  'list.js': 'list.ts',
}

/** @returns the text of each file, by its name */
export async function pageScripts(): Promise<ReadonlyMap<string, string>> {
  const scripts = await Promise.all(
    Object.entries(entries).map(async ([name, module]) => {
      const { outputFiles } = await build({
        entryPoints: [fileURLToPath(new URL(`../catalogue/browser/${module}`, import.meta.url))],
        bundle: true,
        write: false,
        format: 'iife',
        target: 'es2022',
        minify: true,
        charset: 'utf8',
        legalComments: 'none',
      })
      return [name, outputFiles[0]?.text ?? ''] as const
    }),
  )
  return new Map(scripts)
}
