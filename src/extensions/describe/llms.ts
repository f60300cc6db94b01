/** `llms.txt`, derived from the declarations and the guides. In English. Source of the form: llmstxt.org. */

import type { Endpoint } from '../../core/api/contract/endpoint.ts'
import { listsOf } from '../../core/api/contract/lists.ts'
import type { Page } from '../../core/api/contract/page.ts'
import { rightPath } from '../../core/api/derive/error-cases.ts'
import { fill } from '../../core/api/routes/keys.ts'
import { formats } from '../../core/api/routes/table.ts'
import { endpointExample } from './examples.ts'
import { targetOf } from './group.ts'
import { listValues } from './lists.ts'
import { docKey, guidePath, openApiKey, type Site } from './site.ts'
import { answerAge } from './answer-age.ts'
import { docWords } from './wording.ts'

const words = docWords.en

export function assistantPage(site: Site): Page {
  const { source, endpoints, guides } = site
  const { baseUrl } = source
  const guideLines = guides.map((guide) => {
    const name = guide === 'overview' ? words.front : words[guide]
    return `- [${name}](${addressOf(site, guidePath(guide))}): ${words.descriptions[guide]}`
  })
  const endpointLines = endpoints.map(
    (endpoint) => `- [GET ${endpoint.path}](${exampleAddress(endpoint, site)}): ${endpoint.summary.en}`,
  )
  const listLines = listsOf(source)
    .filter(({ isOfPublish = false }) => !isOfPublish)
    .map(
      ({ path, title, about }) =>
        `- [GET ${path}](${baseUrl}${fill(path, listValues(source))}): ${title.en}. ${about.en}`,
    )
  const content = `${intro(site)}

## Endpoints

Each link is a request that works.

${endpointLines.join('\n')}

## Lists

${listLines.join('\n')}

## Documentation

- [OpenAPI 3.1](${baseUrl}/${openApiKey}): every field and error, for client generators
${guideLines.join('\n')}
`
  return { key: 'llms.txt', content }
}

function intro({ source }: Site): string {
  const { baseUrl, publisher, caching, asOf, parts } = source
  const { name = null, licence = null, terms = null, contact = null } = publisher ?? {}
  const ofPublish = listsOf(source)
    .filter(({ isOfPublish = false }) => isOfPublish)
    .map(({ path, title }) => `\`${path}\` (${title.en})`)
  const facts = [
    `Base URL: ${baseUrl}. Every request is a GET, without key or login.`,
    'Paths of endpoints end with a slash. An ISIN has 12 characters, in upper or lower case.',
    `\`format=${formats.join('|')}\` chooses the format (default: JSON), \`language=de|en\` the language of texts (default: German).`,
    'Prices are strings. Historic prices in JSON and XML have a decimal comma: `19,749` is 19.749. CSV always has a point.',
    'Prices are also available as CSV (`format=csv`), which is best for tables: ISO 8601 dates, decimal points, one row per price.',
    'A date range is `/<first day>/<last day>/`, both included, of any length. Days without a price, such as weekends, are left out.',
    'An error is a document with `title`, `type` and `status`; `status` is the HTTP status.',
    'The data are usually updated once a night. Send the last `ETag` in `If-None-Match`. For many funds, use one request about all funds.',
    ...(caching === null ? [] : [answerAge(caching, 'en').join(' ')]),
    ...(parts.includes('downloads')
      ? [`All prices of all funds in one file: ${baseUrl}/downloads/latest/prices.parquet (or prices.csv).`]
      : []),
    // A folder that was built does not have them: no link leads there.
    `Data that are published night by night have these plain files, too: ${ofPublish.join(', ')}.`,
    ...(licence === null ? [] : [`Licence: ${[licence.name, licence.url].filter(Boolean).join(', ')}.`]),
    ...(terms === null ? [] : [`Terms of use: ${terms}.`]),
    ...(contact === null ? [] : [`Contact: ${contact}.`]),
  ]
  return `# ${name === null ? 'Fund data API' : `Fund data of ${name}`}

> Prices, performance, investment structures, key figures, profiles, asset allocations and EMT data of funds, by ISIN: a read-only HTTP API. As of ${asOf}.

${facts.map((fact) => `- ${fact}`).join('\n')}`
}

const addressOf = ({ source }: Site, path: string) =>
  `${source.baseUrl}/${docKey('en', path).replace(/index\.html$/, '')}`

/** A request that works, if a fund has such an answer. */
function exampleAddress(endpoint: Endpoint, { source }: Site): string {
  const example = endpointExample(endpoint, source, 'en')
  return source.baseUrl + targetOf(endpoint, example?.path ?? rightPath(endpoint), 'en', 'json')
}
