/** `npm run generate`: writes the files that come from declarations and from other sources. No part of the package. */

import { writeFileSync } from 'node:fs'
import { configSchema } from './config-schema.ts'
import { pageScripts } from './page-scripts.ts'

const template = (name: string) => new URL(`../../templates/${name}`, import.meta.url)
writeFileSync(template('fundpress.config.schema.json'), configSchema())
for (const [name, text] of await pageScripts()) writeFileSync(template(`pages/${name}`), text)
