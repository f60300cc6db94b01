/** `npm run generate`: writes the files in templates/ and the table of guards, which are made from sources. Not part of the package. */

import { build } from 'esbuild'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { knownSettings } from '../core/cli/known-settings.ts'
import { configSchema } from '../core/cli/load-settings.ts'
import { extensions } from '../extensions.ts'
import { withGuardTable } from './guard-table.ts'

const scripts: Readonly<Record<string, string>> = {
  'docs/search.js': 'describe/browser/search.ts',
  'downloads/days.js': 'downloads/browser/days.ts',
  'pages/compare.js': 'site/funds/browser/compare.ts',
  'pages/find.js': 'site/funds/browser/find.ts',
  'pages/fund.js': 'site/funds/browser/fund.ts',
  'pages/list.js': 'site/funds/browser/list.ts',
  'status/changes.js': 'changes/browser/changes.ts',
  'status/status.js': 'site/funds/browser/status.ts',
}

/** @returns the bundled text of each script, by its name */
export async function pageScripts(): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const [name, module] of Object.entries(scripts)) {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL(`../extensions/${module}`, import.meta.url))],
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
  writeFileSync(template('fundpress.config.schema.json'), configSchema(await knownSettings(extensions)))
  for (const [name, text] of await pageScripts()) writeFileSync(template(name), text)
  const readme = new URL('../core/guards/README.md', import.meta.url)
  writeFileSync(readme, withGuardTable(readFileSync(readme, 'utf8')))
}
