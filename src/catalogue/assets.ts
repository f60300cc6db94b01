/** The files that the catalogue's pages share. */

import type { Page } from '../contract/page.ts'
import { pageTemplate } from '../pages/assets.ts'

export const styleKey = 'funds/catalogue.css'
export const fundScriptKey = 'funds/fund.js'
export const listScriptKey = 'funds/list.js'

export const catalogueAssets = (): readonly Page[] => [
  { key: styleKey, content: pageTemplate('pages/catalogue.css') },
  { key: fundScriptKey, content: pageTemplate('pages/fund.js') },
  { key: listScriptKey, content: pageTemplate('pages/list.js') },
]
