/** The errors of a group, each at the anchor that its documents' `type` points to. */

import type { Endpoint } from '../../api/contract/endpoint.ts'
import { errorCases, strayErrorCases, type ErrorCase } from '../../api/derive/error-cases.ts'
import { problemDocument } from '../../api/routes/problems.ts'
import { formats, type Language, type Problem } from '../../api/routes/table.ts'
import { html, linkTo, type HtmlContent, type Html } from '../layout/html.ts'
import { wording } from '../wording.ts'
import { listing, parseJson, parseXml } from './excerpt.ts'
import { codeBlock, docKey, groupPath, tabs } from './site.ts'

/** Source: src/api/interface.md, error body, `type`. */
const errorAnchor = ({ status, slug }: Problem) => `error-${status}-${slug}`

/** All errors of a group, each once, by status. */
export function errorsOfGroup(group: string, endpoints: readonly Endpoint[]): readonly ErrorCase[] {
  const all = [...endpoints.flatMap(errorCases), ...strayErrorCases].filter(
    ({ problem }) => problem.group === group,
  )
  const first = new Map<string, ErrorCase>()
  for (const error of all) {
    const name = JSON.stringify(error.problem)
    // Several endpoints may have the same error: the first shows it.
    if (!first.has(name)) first.set(name, error)
  }
  return [...first.values()].sort((one, other) => one.problem.status - other.problem.status)
}

interface ErrorListSource {
  readonly docsUrl: string
  readonly language: Language
  /** Key of the page. */
  readonly key: string
}

/** Articles for a section. Errors with the same status and slug share an anchor. */
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

function caseOf({ problem, when, values, target }: ErrorCase, id: string, source: ErrorListSource): Html {
  const { language, docsUrl, key } = source
  const { example, reached } = wording[language].docs
  const noMore = () => ''
  const [json = '', xml = ''] = formats.map((format) => problemDocument(docsUrl, problem, values, format))
  return html`<p class="error-title"><strong>${placeholders(problem.title)}</strong></p>
    <p>
      ${when[language]}${
        target === null ? null : html` <a href="${linkTo(key, target.slice(1))}"><code>${target}</code></a>`
      }
    </p>
    ${tabs(`t-${id}`, `${example}: ${problem.status} ${problem.slug}`, [
      ['JSON', codeBlock(listing(parseJson(json), noMore), `${example} JSON, ${reached}`, false)],
      ['XML', codeBlock(listing(parseXml(xml), noMore), `${example} XML`, false)],
    ])}`
}

/** A title for readers: `<isin>` instead of `{isin}`. */
const placeholders = (title: string): Html =>
  html`${title
    .split(/[{}]/)
    .map((piece, index) => (index % 2 === 1 ? html`<var>&lt;${piece}&gt;</var>` : piece))}`

/** Rows of a table: the errors of one endpoint, each with a link to its article. */
export function errorRows(endpoint: Endpoint, language: Language, key: string): readonly HtmlContent[][] {
  return errorCases(endpoint).map(({ problem, when }) => {
    const to = `${docKey(language, groupPath(problem.group))}#${errorAnchor(problem)}`
    return [
      html`<span class="status">${problem.status}</span>`,
      html`<a href="${linkTo(key, to)}">${placeholders(problem.title)}</a>`,
      when[language],
    ]
  })
}
