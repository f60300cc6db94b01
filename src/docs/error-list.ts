/** The errors of a group, each at the anchor that its documents' `type` points to. */

import type { Endpoint } from '../contract/endpoint.ts'
import { errorCases, strayErrorCases, type ErrorCase } from '../derive/error-cases.ts'
import { html, type Html } from '../pages/html.ts'
import { linkTo } from '../pages/link.ts'
import { problemDocument } from '../routes/problems.ts'
import { formats, type Language, type Problem } from '../routes/table.ts'
import { codeBlock, tabs } from './code.ts'
import { conditionOf } from './conditions.ts'
import { jsonListing, parseJsonTree } from './json-tree.ts'
import { docKey, groupPath } from './site.ts'
import { words } from './words.ts'
import { parseXmlTree, xmlListing } from './xml-tree.ts'

/** Source: the interface, error body, `type`. */
export const errorAnchor = ({ status, slug }: Problem) => `error-${status}-${slug}`

/** All errors of a group, each once, by status. */
export function errorsOfGroup(group: string, endpoints: readonly Endpoint[]): readonly ErrorCase[] {
  const all = [...endpoints.flatMap(errorCases), ...strayErrorCases].filter(
    ({ problem }) => problem.group === group,
  )
  const first = new Map<string, ErrorCase>()
  for (const error of all) {
    const name = JSON.stringify(error.problem)
    // Of an endpoint that takes the most parameters the request says the most: the first will do.
    if (!first.has(name)) first.set(name, error)
  }
  return [...first.values()].sort((one, other) => one.problem.status - other.problem.status)
}

export interface ErrorListSource {
  readonly docsUrl: string
  readonly language: Language
  /** Key of the page. */
  readonly key: string
}

/** Articles below a heading of the second order. Errors that share status and slug share an anchor. */
export function errorList(errors: readonly ErrorCase[], source: ErrorListSource): readonly Html[] {
  const anchors = [...new Set(errors.map(({ problem }) => errorAnchor(problem)))]
  return anchors.map((anchor) => {
    const cases = errors.filter(({ problem }) => errorAnchor(problem) === anchor)
    const [{ problem } = { problem: undefined }] = cases
    if (problem === undefined) return html``
    return html`<article class="error" id="${anchor}" aria-labelledby="${anchor}-title">
      <h3 id="${anchor}-title">
        <a class="anchor" href="#${anchor}"
          ><span class="status">${problem.status}</span> <code>${problem.slug}</code></a
        >
      </h3>
      ${cases.map((error, index) => caseOf(error, `${anchor}-${index}`, source))}
    </article> `
  })
}

function caseOf({ problem, values, target }: ErrorCase, id: string, source: ErrorListSource): Html {
  const { language, docsUrl, key } = source
  const { example, reached } = words[language]
  const noMore = () => ''
  const [json = '', xml = ''] = formats.map((format) => problemDocument(docsUrl, problem, values, format))
  return html`<p class="error-title"><strong>${placeholders(problem.title)}</strong></p>
    <p>
      ${conditionOf(problem, language)}${
        target === null ? null : html` <a href="${linkTo(key, target.slice(1))}"><code>${target}</code></a>`
      }
    </p>
    ${tabs(`t-${id}`, `${example}: ${problem.status} ${problem.slug}`, [
      ['JSON', codeBlock(jsonListing(parseJsonTree(json), noMore), `${example} JSON, ${reached}`, false)],
      ['XML', codeBlock(xmlListing(parseXmlTree(xml), noMore), `${example} XML`, false)],
    ])}`
}

/** The title as a template for people: `<isin>` for `{isin}`. */
export const placeholders = (title: string): Html =>
  html`${title
    .split(/[{}]/)
    .map((piece, index) => (index % 2 === 1 ? html`<var>&lt;${piece}&gt;</var>` : piece))}`

/** A table row's worth of links: the errors of one endpoint, wherever they are described. */
export function errorLinks(endpoint: Endpoint, source: Omit<ErrorListSource, 'docsUrl'>): readonly Html[] {
  return errorCases(endpoint).map(({ problem }) => {
    const to = `${docKey(source.language, groupPath(problem.group))}#${errorAnchor(problem)}`
    return html`<tr>
      <th scope="row"><span class="status">${problem.status}</span></th>
      <td><a href="${linkTo(source.key, to)}">${placeholders(problem.title)}</a></td>
      <td>${conditionOf(problem, source.language)}</td>
    </tr> `
  })
}
