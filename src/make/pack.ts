/** Last step of `npm run prepack`: writes what the package has beside compiled code. Not part of the package. */

import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { writeRelease } from '../core/cli/release.ts'
import { makeBundle, type Bundle } from '../core/edge/bundle.ts'
import { bundlesFolder } from '../core/edge/deployment.ts'

const extensions = fileURLToPath(new URL('../extensions', import.meta.url))
const folder = fileURLToPath(new URL(`../../dist/core/edge/${bundlesFolder}`, import.meta.url))

mkdirSync(folder, { recursive: true })
for (const file of globSync('**/bundles.ts', { cwd: extensions })) {
  const bundles = (await import(pathToFileURL(join(extensions, file)).href)) as Readonly<
    Record<string, Bundle>
  >
  for (const bundle of Object.values(bundles))
    writeFileSync(join(folder, `${bundle.name}.js`), await makeBundle(bundle))
}
writeRelease()
