/** `npm run generate`: writes the files in templates/ that are made from sources. Not part of the package. */

import { build } from 'esbuild'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { configSchema } from './load-settings.ts'

const scripts: Readonly<Record<string, string>> = {
  'pages/compare.js': 'compare.ts',
  'pages/find.js': 'find.ts',
  'pages/fund.js': 'fund.ts',
  'pages/list.js': 'list.ts',
  'status/changes.js': 'changes.ts',
  'status/status.js': 'status.ts',
}

/** @returns the bundled text of each script, by its name */
export async function pageScripts(): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const [name, module] of Object.entries(scripts)) {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL(`../site/funds/browser/${module}`, import.meta.url))],
      bundle: true,
      write: false,
      format: 'iife',
      target: 'es2022',
      minify: true,
      charset: 'utf8',
      legalComments: 'none',
    })
    texts.set(name, outputFiles[0]?.text ?? '')
  }
  return texts
}

if (import.meta.main) {
  const template = (name: string) => new URL(`../../templates/${name}`, import.meta.url)
  writeFileSync(template('fundpress.config.schema.json'), configSchema())
  for (const [name, text] of await pageScripts()) writeFileSync(template(name), text)
}
