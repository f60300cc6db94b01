/**
 * A document over all funds, `{funds: {<isin>: …}}`, as pieces: it is written fund by fund, since all funds together
 * need not fit into memory. Source: the interface, conventions, 6.
 */

import { xmlDeclaration } from './xml.ts'

export interface ByIsinText {
  /** What the document of no fund at all is. */
  readonly empty: string
  readonly head: string
  readonly separator: string
  readonly tail: string
}

export const jsonByIsin: ByIsinText = {
  empty: '{"funds":{}}',
  head: '{"funds":{',
  separator: ',',
  tail: '}}',
}

export const xmlByIsin: ByIsinText = {
  empty: `${xmlDeclaration}<root><funds/></root>`,
  head: `${xmlDeclaration}<root><funds>`,
  separator: '',
  tail: '</funds></root>',
}
