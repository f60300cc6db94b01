/** Error documents of the edge, for texts that depend on the request. Pure; see table.ts. */

import { fill } from './keys.ts'
import type { DocumentFormat, Problem, Values } from './table.ts'

/** The address of an error's documentation. Source: the interface, error body, `type`. */
export function problemType(docsUrl: string, problem: Problem): string {
  return `${docsUrl}/v1/endpoints/${problem.group}/#error-${problem.status}-${problem.slug}`
}

/** An error document, with the same bytes as the renderer's. */
export function problemDocument(
  docsUrl: string,
  problem: Problem,
  values: Values,
  format: DocumentFormat,
): string {
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

/** The answer 412, which belongs to no endpoint. Source: RFC 9110, 15.5.13 */
export function otherVersionDocument(format: DocumentFormat): string {
  const title = 'This is not the version that If-Match or If-Unmodified-Since asks for'
  const type = 'about:blank'
  if (format === 'json') return JSON.stringify({ title, type, status: 412 })
  // The texts have nothing to escape, and a function of CloudFront has no room to do so.
  const fields = '<title>' + title + '</title><type>' + type + '</type><status>412</status>'
  return '<?xml version="1.0" encoding="UTF-8"?>\n<root>' + fields + '</root>'
}

/**
 * Text as XML 1.0 content. Characters of a request that XML cannot hold become U+FFFD. Character by character: in njs,
 * a global regular expression takes quadratic time, and may fail on characters beyond ASCII.
 */
const escapeXmlText = (text: string) => text.split('').map(escapeXmlCharacter).join('')

const xmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\r': '&#xD;',
  '\t': '\t',
  '\n': '\n',
  '\ufffe': '\ufffd',
  '\uffff': '\ufffd',
}

const escapeXmlCharacter = (character: string) =>
  xmlEscapes[character] || (character < ' ' ? '\ufffd' : character)
