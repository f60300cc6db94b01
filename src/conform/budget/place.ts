/** What of a deployment the budget asks for. */

import type { Client } from '../client.ts'
import type { Example } from '../examples.ts'
import type { BudgetPlace } from './hostile-request.ts'
import type { LoadPlace } from './loads.ts'

/** @param examples of a database without any fund those of all funds */
export function findPlace(examples: readonly Example[]): BudgetPlace {
  const document = (examples.find(({ target }) => target.includes('/figures/')) ?? examples[0])?.target ?? '/'
  const [isin = 'LU000NOSUCH8'] = /[A-Z]{2}[0-9A-Z]{9}[0-9](?=\/$)/.exec(document) ?? []
  return { document, isin, page: '/docs/' }
}

/** Asks for the list of downloads, which tells the length of each. @throws {NoAnswer} */
export async function findLoadPlace(examples: readonly Example[], client: Client): Promise<LoadPlace> {
  const { document } = findPlace(examples)
  const range = examples.find(({ kind }) => kind === 'the whole history')?.target ?? null
  const { status, body } = await client.ask({ target: `${downloads}datapackage.json` })
  return { document, range, file: status === 200 ? largestFile(body.toString()) : null }
}

const downloads = '/downloads/latest/'

function largestFile(text: string): string | null {
  const { resources } = JSON.parse(text) as { resources: readonly { path: string; bytes: number }[] }
  const [largest] = [...resources].sort((one, other) => other.bytes - one.bytes)
  return largest === undefined ? null : downloads + largest.path
}
