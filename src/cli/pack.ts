/** Last step of `npm run prepack`: writes what the package has beside compiled code. Not part of the package. */

import { fileURLToPath } from 'node:url'
import { writeBundles } from '../edge/bundle.ts'
import { writeRelease } from './setup/release.ts'

await writeBundles(fileURLToPath(new URL('../../dist/edge/bundles', import.meta.url)))
writeRelease()
