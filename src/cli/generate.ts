/** `npm run generate`: writes the files that come from declarations. No part of the package. */

import { writeFileSync } from 'node:fs'
import { configSchema } from './config-schema.ts'

const target = new URL('../../templates/fundpress.config.schema.json', import.meta.url)
writeFileSync(target, configSchema())
