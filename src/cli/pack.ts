/** The end of `npm run prepack`: what the package has beside compiled code. It is not part of the package. */

import { fileURLToPath } from 'node:url'
import { writeBundles } from '../edge/bundle.ts'
import { writeRelease } from './setup/release.ts'

await writeBundles(fileURLToPath(new URL('../../dist/edge/bundles', import.meta.url)))
writeRelease()
