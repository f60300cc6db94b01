/** `npm run generate`: writes the files in templates/ and the table of guards, which are made from sources. Not part of the package. */

import { build } from 'esbuild'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { knownSettings } from '../core/cli/known-settings.ts'
import { configSchema } from '../core/cli/load-settings.ts'
import { extensions } from '../extensions.ts'
import { withGuardTable } from './guard-table.ts'

/** @returns the bundled text of each script that an extension names in its `scripts.ts`, by its name in templates/ */
export async function pageScripts(): Promise<ReadonlyMap<string, string>> {
  const folder = new URL('../extensions/', import.meta.url)
  const texts = new Map<string, string>()
  for (const file of globSync('*/scripts.ts', { cwd: fileURLToPath(folder) })) {
    const list = new URL(file, folder)
    const { scripts } = (await import(list.href)) as { readonly scripts: Readonly<Record<string, string>> }
    for (const [name, module] of Object.entries(scripts))
      texts.set(name, await bundled(new URL(module, list)))
  }
  return texts
}

async function bundled(script: URL): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(script)],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
  })
  return outputFiles[0]?.text ?? ''
}

if (import.meta.main) {
  const template = (name: string) => new URL(`../../templates/${name}`, import.meta.url)
  writeFileSync(template('fundpress.config.schema.json'), configSchema(await knownSettings(extensions)))
  for (const [name, text] of await pageScripts()) writeFileSync(template(name), text)
  const readme = new URL('../core/guards/README.md', import.meta.url)
  writeFileSync(readme, withGuardTable(readFileSync(readme, 'utf8')))
}
