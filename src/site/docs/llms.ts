/**
 * What an assistant needs to use the API: `llms.txt` in short, `llms-full.txt` with every field and rule. Source of the form:
 * llmstxt.org. In English, with absolute addresses; everything is derived from the declarations and the guides.
 */

import type { Endpoint, PathParameter } from '../../api/contract/endpoint.ts'
import { listsOf, type PublishedList } from '../../api/contract/lists.ts'
import type { Page } from '../../api/contract/page.ts'
import type { RecordOf } from '../../api/contract/shape.ts'
import { errorCases, rightPath, strayErrorCases } from '../../api/derive/error-cases.ts'
import { fill } from '../../api/routes/keys.ts'
import { formats } from '../../api/routes/table.ts'
import { compact, endpointExample } from './examples.ts'
import { fieldsOf, targetOf } from './group.ts'
import { filled } from './guides.ts'
import { listValues } from './lists.ts'
import { markdownOf } from './markdown.ts'
import { docGroups, docKey, type Guide, guidePath, openApiKey, type Site } from './site.ts'
import { wording } from '../wording.ts'

const keys = { short: 'llms.txt', full: 'llms-full.txt' }
const words = wording.en.docs

export const assistantPages = (site: Site): readonly Page[] => [
  { key: keys.short, content: shortText(site) },
  { key: keys.full, content: fullText(site) },
]

function shortText(site: Site): string {
  const { source, endpoints, guides } = site
  const { baseUrl } = source
  const guideLines = guides.map((guide) => {
    const name = guide === 'overview' ? words.front : words[guide]
    return `- [${name}](${addressOf(site, guidePath(guide))}): ${words.descriptions[guide]}`
  })
  const endpointLines = endpoints.map(
    (endpoint) => `- [GET ${endpoint.path}](${exampleAddress(endpoint, site)}): ${endpoint.summary.en}`,
  )
  const listLines = listsOf(source).map(
    ({ path, title, about }) =>
      `- [GET ${path}](${baseUrl}${fill(path, listValues(source))}): ${title.en}. ${about.en}`,
  )
  return `${intro(site)}

## Endpoints

Each link is a request that works.

${endpointLines.join('\n')}

## Lists

${listLines.join('\n')}

## Documentation

- [Everything in one text](${baseUrl}/${keys.full}): every field, error and rule${guides.includes('recipes') ? ', and recipes' : ''}
- [OpenAPI 3.1](${baseUrl}/${openApiKey}): for client generators
${guideLines.join('\n')}
`
}

function intro({ source }: Site): string {
  const { baseUrl, publisher, asOf, hasDownloads } = source
  const { name = null, licence = null, terms = null, contact = null } = publisher ?? {}
  const facts = [
    `Address: ${baseUrl}. Every request is a GET, without key or login.`,
    'Paths of endpoints end with a slash. An ISIN has 12 characters, in upper or lower case.',
    `\`format=${formats.join('|')}\` chooses the format (default: JSON), \`language=de|en\` the language of texts (default: German).`,
    'Prices are texts. Historic prices in JSON and XML have a decimal comma: `19,749` is 19.749. CSV always has a point.',
    'Prices are also available as CSV (`format=csv`), which is best for tables: ISO 8601 dates, decimal points, one row per price.',
    'A date range is `/<first day>/<last day>/`, both included, of any length. Days without a price, such as weekends, are left out.',
    'An error is a document with `title`, `type` and `status`; `status` is the HTTP status.',
    'The data are usually updated once a night. Send the last `ETag` in `If-None-Match`. For many funds, use one request about all funds.',
    ...(hasDownloads
      ? [`All prices of all funds in one file: ${baseUrl}/downloads/latest/prices.parquet (or prices.csv).`]
      : []),
    ...(licence === null ? [] : [`Licence: ${[licence.name, licence.url].filter(Boolean).join(', ')}.`]),
    ...(terms === null ? [] : [`Terms of use: ${terms}.`]),
    ...(contact === null ? [] : [`Contact: ${contact}.`]),
  ]
  return `# ${name === null ? 'Fund data API' : `Fund data of ${name}`}

> Prices, performance, investment structures, key figures, profiles, asset allocations and EMT data of funds, by ISIN: a read-only HTTP API. As of ${asOf}.

${facts.map((fact) => `- ${fact}`).join('\n')}`
}

function fullText(site: Site): string {
  const { source, endpoints } = site
  const guide = (one: Guide) => {
    const title = one === 'overview' ? words.front : words[one]
    const page = addressOf(site, guidePath(one))
    return `## ${title}\n\n${markdownOf(filled(one, site, 'en', docKey('en', guidePath(one))), page, 1)}`
  }
  const groups = docGroups(endpoints).flatMap(({ id, title, lead }) => {
    const own = endpoints.filter((endpoint) => endpoint.group.id === id)
    return own.length === 0
      ? []
      : [`### ${title.en}\n\n${lead.en}`, ...own.map((endpoint) => endpointText(endpoint, site))]
  })
  const stray = strayErrorCases.map(({ problem, when }) => errorLine(problem, when.en))
  const parts = [
    intro(site),
    '## Endpoints',
    ...groups,
    `### Errors outside of endpoints\n\n${stray.join('\n')}`,
    '## Lists\n\nPlain files in one format, without parameters. A file that does not exist is a 404.',
    ...listsOf(source).map((list) => listText(list, source.baseUrl)),
    ...site.guides.filter((one) => one !== 'overview' && one !== 'lists').map(guide),
  ]
  return `${parts.join('\n\n')}\n`
}

function endpointText(endpoint: Endpoint, site: Site): string {
  const { id, path, summary } = endpoint
  const own = endpoint.scope === 'all' ? [] : Object.entries(endpoint.parameters)
  const hasLanguages = endpoint.scope === 'all' ? endpoint.of.hasLanguages : endpoint.hasLanguages
  const hasCsv = (endpoint.scope === 'all' ? endpoint.of : endpoint).csv !== undefined
  const parameters = [
    ...own.map(([name, one]) => `\`${name}\`: ${meaningOf(one)}`),
    `\`format\` (optional): ${hasCsv ? 'json, xml or csv' : 'json or xml'}`,
    ...(hasLanguages ? ['`language` (optional): de or en'] : []),
  ]
  const example = endpointExample(endpoint, site.source, 'en')
  const answer =
    example === null ? [] : [`Answer (long lists shortened):\n\n\`\`\`json\n${compact(example.json)}\n\`\`\``]
  // Fields of an answer over all funds are those of the endpoint about one.
  const fields =
    endpoint.scope === 'all'
      ? `Fields: \`funds\`, a map from ISIN to the answer of \`${endpoint.of.id}\`.`
      : `Fields:\n\n${fieldLines(endpoint.body)}`
  const errors = errorCases(endpoint).map(({ problem, when }) => errorLine(problem, when.en))
  return [
    `#### GET ${path}`,
    `${summary.en}. Operation \`${id}\`.`,
    `Parameters:\n\n${parameters.map((line) => `- ${line}`).join('\n')}`,
    `Example: ${exampleAddress(endpoint, site)}`,
    ...answer,
    fields,
    `Errors:\n\n${errors.join('\n')}`,
  ].join('\n\n')
}

function listText({ id, path, title, about, body }: PublishedList, baseUrl: string): string {
  const fields = body === null ? '' : `\n\nFields:\n\n${fieldLines(body)}`
  return `### ${title.en}\n\nGET ${baseUrl}${path} (\`${id}\`). ${about.en}${fields}`
}

function meaningOf(parameter: PathParameter): string {
  if (parameter.kind === 'isin') return words.isin
  if (parameter.kind === 'date') return `${parameter.meaning.en} (${words.kinds.day})`
  return `one of ${parameter.choices.map((choice) => `\`${choice}\``).join(', ')}`
}

const fieldLines = (body: RecordOf) =>
  fieldsOf(body, 'en')
    .map(({ name, depth, type, isOptional, notes }) => {
      const kind = isOptional ? `${type}, ${words.optional}` : type
      return `${'  '.repeat(depth)}- \`${name}\` (${kind})${notes === '' ? '' : `: ${notes}`}`
    })
    .join('\n')

const errorLine = ({ status, slug, title }: { status: number; slug: string; title: string }, when: string) =>
  `- ${status} \`${slug}\`, "${title}": ${when}`

const addressOf = ({ source }: Site, path: string) =>
  `${source.baseUrl}/${docKey('en', path).replace(/index\.html$/, '')}`

/** A request that works, if some fund has such an answer. */
function exampleAddress(endpoint: Endpoint, { source }: Site): string {
  const example = endpointExample(endpoint, source, 'en')
  return source.baseUrl + targetOf(endpoint, example?.path ?? rightPath(endpoint), 'en', 'json')
}
