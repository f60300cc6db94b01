/** Error documents as the edge writes them: for texts that depend on the request. Pure; see table.ts. */

import { fill } from './keys.ts'
import type { Format, Problem, Values } from './table.ts'

/** The address of an error's documentation. Source: the interface, error body, `type`. */
export function problemType(docsUrl: string, problem: Problem): string {
  return `${docsUrl}/v1/endpoints/${problem.group}/#error-${problem.status}-${problem.slug}`
}

/** An error document in full: the same bytes as the renderer gives for the same body. */
export function problemDocument(docsUrl: string, problem: Problem, values: Values, format: Format): string {
  const body = {
    title: fill(problem.title, values),
    type: problemType(docsUrl, problem),
    status: problem.status,
  }
  if (format === 'json') return JSON.stringify(body)
  const element = (name: keyof typeof body) => `<${name}>${escapeXmlText(`${body[name]}`)}</${name}>`
  const elements = element('title') + element('type') + element('status')
  return '<?xml version="1.0" encoding="UTF-8"?>\n<root>' + elements + '</root>'
}

/** Text as XML 1.0 content. What XML cannot hold (a request can ask for anything) becomes U+FFFD. */
function escapeXmlText(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\r/g, '&#xD;')
}
