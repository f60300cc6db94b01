/** A list of extensions of which two write files beside a snapshot. */
import type { Extensions } from '../../src/core/extension.ts'

const beside = () => Promise.reject(new Error('nobody may write'))

export const extensions: Extensions = {
  list: [{ name: 'files', beside }, { name: 'pages' }, { name: 'more-files', beside }],
  address: import.meta.url,
}
