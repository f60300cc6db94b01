/**
 * The API explorer: sends what a form says to the server of this page. Shows the request as a program, what comes back, and
 * beside it the fields, which it takes from the page that documents them. Finds operations by words.
 */

import { isIsinInEitherCase } from '../../../core/api/routes/values.ts'
import { keepInLanguages, showAddress } from '../../../core/layout/browser/address.ts'
import { messageWith } from '../../../core/layout/browser/message.ts'
import { bytesIn, searchKey } from '../../../core/layout/formats.ts'
import { laidOut, patterns, piecesOf } from '../laid-out.ts'
import { addressIn, answerKinds, programs, type AnswerKind, type Hints } from './requests.ts'
import { isTyping } from './typing.ts'

/** Characters that a page shows at once: a longer text makes it slow. */
const most = 100_000
/** Characters of a line, which stands beside the fields. */
const width = 66

interface Words extends Hints {
  readonly waiting: string
  readonly failed: string
  readonly example: string
  readonly tooLong: string
  readonly whole: string
  readonly missing: string
  readonly noIsin: string
  readonly wrongOrder: string
  readonly found: string
  readonly noneFound: string
  readonly clear: string
}

function startExplorer(explorer: HTMLElement): void {
  const words = JSON.parse(explorer.dataset['words'] ?? '{}') as Words
  const operations = [...explorer.querySelectorAll<HTMLDetailsElement>('.operation')]
  const forms = operations.map((operation) => formOf(operation))
  keepInLanguages()
  for (const form of forms) form.hidden = false
  for (const operation of operations) {
    part(operation, '.exchange').hidden = false
    operation.addEventListener('toggle', () => {
      if (!operation.open) return
      showRequest(operation, explorer, words)
      void describeAnswer(operation, words)
      keepAddress(operation)
    })
  }
  explorer.addEventListener('submit', (event) => {
    event.preventDefault()
    const operation = operationAt(event.target)
    if (operation !== null) void send(operation, explorer, words)
  })
  explorer.addEventListener('input', ({ target }) => {
    const operation = operationAt(target)
    if (operation === null || !isOfForm(target)) return
    showRequest(operation, explorer, words)
    showExample(operation, words)
    keepAddress(operation)
  })
  // The choice of a language is one for all operations.
  explorer.addEventListener('change', ({ target }) => {
    if (isOfForm(target)) return
    for (const each of operations) if (each.open) showRequest(each, explorer, words)
  })
  explorer.addEventListener('focusin', ({ target }) => void suggestFunds(target))
  startFilter(explorer, operations, words)
  // The address names an operation, and what its form says. In a later one, the query is still that of the operation before.
  const open = (query: string) => {
    const named = operations.find(({ id }) => id === location.hash.slice(1))
    if (named === undefined) return
    fill(formOf(named), new URLSearchParams(query))
    named.open = true
  }
  addEventListener('hashchange', () => open(''))
  open(location.search)
}

function part<T extends HTMLElement = HTMLElement>(within: ParentNode, selector: string): T {
  const found = within.querySelector<T>(selector)
  if (found === null) throw new Error(`the explorer has no ${selector}`)
  return found
}

const formOf = (operation: Element) => part<HTMLFormElement>(operation, 'form')

const operationAt = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLDetailsElement>('.operation') : null

const isOfForm = (target: EventTarget | null) => target instanceof Element && target.closest('form') !== null

type Control = HTMLInputElement | HTMLSelectElement

const controlsOf = (form: HTMLFormElement) => [...form.querySelectorAll<Control>('input, select')]

/** What a control says before a reader changes it. */
const initialOf = (control: Control): string =>
  control instanceof HTMLInputElement
    ? control.defaultValue
    : ([...control.options].find(({ defaultSelected }) => defaultSelected)?.value ??
      control.options[0]?.value ??
      '')

/** A value that a choice does not offer changes nothing. */
function fill(form: HTMLFormElement, values: URLSearchParams): void {
  for (const control of controlsOf(form)) {
    const value = values.get(control.name)
    if (value === null) continue
    if (control instanceof HTMLInputElement || [...control.options].some((one) => one.value === value))
      control.value = value
  }
}

/** The address of this page leads to the request: it has what differs from the form as it was. */
function keepAddress(operation: HTMLDetailsElement): void {
  const changed = controlsOf(formOf(operation)).filter((control) => control.value !== initialOf(control))
  const query = new URLSearchParams(changed.map(({ name, value }) => [name, value]))
  showAddress(query.size === 0 ? '' : `?${query.toString()}`, `#${operation.id}`, 'same')
  part<HTMLAnchorElement>(operation, '.permalink').href = location.href
}

/** An input is a part of the path, a choice with a value one of the query. For an empty input its place stays: `{isin}`. */
function addressOf(form: HTMLFormElement, root: string): URL {
  let path = form.dataset['path'] ?? ''
  const query = new URLSearchParams()
  for (const { name, value } of controlsOf(form)) {
    const place = `{${name}}`
    if (path.includes(place)) path = path.replace(place, encodeURIComponent(value.trim()) || place)
    else if (value !== '') query.set(name, value)
  }
  const url = new URL(root + path.slice(1), location.href.split(/[?#]/)[0])
  url.search = query.toString()
  return url
}

/** What keeps the form from being sent, for its reader, and for the browser, which does not send it then. @returns '' for nothing */
function lackOf(form: HTMLFormElement, words: Words): string {
  const controls = controlsOf(form)
  for (const control of controls) {
    const isMissing = control.required && control.value.trim() === ''
    control.setCustomValidity(isMissing ? words.missing.replace('{name}', control.name) : '')
  }
  // Two days of a path are a range.
  const [first, last] = form.querySelectorAll<HTMLInputElement>('[type="date"]')
  if (first && last && last.value !== '' && last.value < first.value)
    last.setCustomValidity(words.wrongOrder.replace('{first}', first.name).replace('{last}', last.name))
  return controls.find(({ validity }) => !validity.valid)?.validationMessage ?? ''
}

/** Says of a text that it is no ISIN. The request may be sent: a reader may want to see the error. @returns '' for a right one */
function isinDoubt(control: Control, words: Words): string {
  const typed = control.value.trim()
  return control.name !== 'isin' || typed === '' || isIsinInEitherCase(typed) ? '' : words.noIsin
}

/** Marks the fields that are wrong. What keeps the form from being sent is said first. @returns that, '' for nothing */
function showFaults(form: HTMLFormElement, words: Words): string {
  const lack = lackOf(form, words)
  const controls = controlsOf(form)
  const doubts = controls.map((control) => isinDoubt(control, words))
  for (const [index, control] of controls.entries())
    control.ariaInvalid = String(!control.validity.valid || doubts[index] !== '')
  const place = part(form, '[aria-live]')
  const text = lack || (doubts.find((doubt) => doubt !== '') ?? '')
  // While a reader types, it is told once.
  if (place.textContent !== text) place.textContent = text
  return lack
}

/** The button is made by the script of all pages. */
function allowCopying(within: Element, isAllowed: boolean): void {
  const button = within.querySelector<HTMLButtonElement>('.code > button')
  if (button !== null) button.hidden = !isAllowed
}

/** As a program in the chosen language, before it is sent. A request that lacks something cannot be copied. */
function showRequest(operation: HTMLDetailsElement, explorer: HTMLElement, words: Words): void {
  const form = formOf(operation)
  const lack = showFaults(form, words)
  allowCopying(part(operation, '.request'), lack === '')
  const address = addressIn(addressOf(form, explorer.dataset['root'] ?? ''))
  const url = lack === '' ? address : address.replace(/%7B(\w+)%7D/g, '{$1}')
  const kind = kindWanted(operation)
  const chosen = operation.querySelector<HTMLInputElement>('.programs input:checked')?.value ?? ''
  const program = programs[chosen]
  if (program === undefined) return
  const pieces = piecesOf(program({ url, kind }, words), patterns.program)
  part(operation, '.request code').replaceChildren(
    ...pieces.map(({ kind: colour, text }) =>
      colour === undefined ? text : span(colour, ...(text.includes('://') ? addressParts(text) : [text])),
    ),
  )
}

/** By the format that the form names, or else by what the operation answers. */
function kindWanted(operation: HTMLDetailsElement): AnswerKind {
  const form = formOf(operation)
  const format = form.querySelector<HTMLSelectElement>('[name="format"]')?.value ?? ''
  return kindOf(format === '' ? (form.dataset['kind'] ?? '') : format)
}

const kindOf = (name: string): AnswerKind => answerKinds.find((kind) => kind === name) ?? 'text'

function span(kind: string, ...content: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement('span')
  made.className = kind
  made.append(...content)
  return made
}

/** A line may break after each slash of an address, and within none of its parts. */
const addressParts = (text: string): readonly (Node | string)[] =>
  text
    .split(/(?<=\/)(?=[^/'"])/)
    .flatMap((piece) => [piece.includes('-') ? span('whole', piece) : piece, document.createElement('wbr')])

async function send(operation: HTMLDetailsElement, explorer: HTMLElement, words: Words): Promise<void> {
  const result = part(operation, '.result')
  const [response, headers] = result.querySelectorAll<HTMLElement>('code')
  const url = addressOf(formOf(operation), explorer.dataset['root'] ?? '')
  // A late response must not replace that of a later request.
  requests.get(operation)?.abort()
  const request = new AbortController()
  requests.set(operation, request)
  const { signal } = request
  say(operation, [words.waiting])
  const began = performance.now()
  try {
    const answer = await fetch(url, { signal })
    const bytes = await answer.arrayBuffer()
    const took = Math.round(performance.now() - began)
    const type = answer.headers.get('content-type') ?? ''
    const { text, pattern } = shown(new TextDecoder().decode(bytes), type)
    response?.replaceChildren(...colouredNodes(text.slice(0, most), pattern))
    headers?.replaceChildren(
      ...[...answer.headers].flatMap(([name, value]) => [span('k', name), `: ${value}\n`]),
    )
    const language = document.documentElement.lang === 'de' ? 'de' : 'en'
    const code = span(answer.ok ? 'status good' : 'status', `${answer.status} ${answer.statusText}`.trim())
    const facts = [`${took} ms`, bytesIn(language, bytes.byteLength), type.replace(/;.*/, '')]
    const isCut = text.length > most
    const cut = isCut ? [`. ${words.tooLong} `, linkTo(url, words.whole)] : []
    // Who copies wants all of it.
    allowCopying(result, !isCut)
    part(operation, '.sample').hidden = true
    result.hidden = false
    showFields(operation, answer.ok ? 'answer' : 'error')
    say(operation, [code, ...facts.map((fact) => ` · ${fact}`), ...cut])
  } catch {
    if (signal.aborted) return
    part(operation, '.sample').hidden = true
    result.hidden = true
    // Nothing has come that has fields.
    part(operation, '.described').hidden = true
    const again = () => {
      // The button goes with its message.
      part(operation, '[type="submit"]').focus({ preventScroll: true })
      void send(operation, explorer, words)
    }
    const label = explorer.dataset['again'] ?? ''
    say(operation, messageWith(words.failed, { label, press: again }), 'callout fault')
  }
}

function linkTo(url: URL, text: string): HTMLElement {
  const link = document.createElement('a')
  link.href = url.href
  link.textContent = text
  return link
}

/** Screen readers tell it, so the focus stays at the form. Others see it: on a phone it lies below the window. */
function say(operation: HTMLDetailsElement, content: readonly (Node | string)[], look = ''): void {
  const state = part(operation, '[role="status"]')
  state.className = look
  state.replaceChildren(...content)
  state.scrollIntoView({ block: 'nearest' })
}

/** A document without lines gets some. What has lines keeps them. */
function shown(body: string, type: string): { readonly text: string; readonly pattern: RegExp | undefined } {
  if (type.includes('json'))
    return { text: body.includes('\n') ? body : laidOut('json', body, width), pattern: patterns.json }
  if (!type.includes('xml')) return { text: body, pattern: undefined }
  const declaration = /^<\?xml[^>]*\?>\n/.exec(body)?.[0] ?? ''
  const rest = body.slice(declaration.length)
  return {
    text: declaration + (rest.includes('\n') ? rest : laidOut('xml', rest, width)),
    pattern: patterns.xml,
  }
}

const colouredNodes = (text: string, pattern: RegExp | undefined): readonly (Node | string)[] =>
  pattern === undefined
    ? [text]
    : piecesOf(text, pattern).map((piece) =>
        piece.kind === undefined ? piece.text : span(piece.kind, piece.text),
      )

/** What the documentation says of an operation's answer. */
interface Documented {
  readonly fields: Element | null
  readonly examples: ReadonlyMap<string, Element>
}

const documented = new WeakMap<HTMLDetailsElement, Documented>()
/** The last request of each operation. Of one that has any, the place for a response has no example any more. */
const requests = new WeakMap<HTMLDetailsElement, AbortController>()

/** The fields and the examples are those of the documentation, which is loaded when a reader first looks at an operation. */
async function describeAnswer(operation: HTMLDetailsElement, words: Words): Promise<void> {
  if (documented.has(operation) || operation.hasAttribute('aria-busy')) return
  const link = part<HTMLAnchorElement>(operation, '.small a')
  operation.setAttribute('aria-busy', 'true')
  try {
    const answer = await fetch(link.href)
    if (!answer.ok) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const section = page.getElementById(operation.id)?.closest('section')
    const fields = section?.querySelector('table[data-answer]') ?? null
    const blocks = [...(section?.querySelectorAll<HTMLElement>('[data-example]') ?? [])]
    const examples = new Map(blocks.map((block) => [block.dataset['example'] ?? '', part(block, 'code')]))
    documented.set(operation, { fields, examples })
    const isOfError = operation.querySelector('.status:not(.good)') !== null
    showFields(operation, isOfError ? 'error' : 'answer')
    showExample(operation, words)
  } catch {
    // The link above leads to the same page, or to the browser's own message.
  } finally {
    operation.removeAttribute('aria-busy')
  }
}

/** All errors have the same fields. */
function showFields(operation: HTMLDetailsElement, of: 'answer' | 'error'): void {
  const errors = part<HTMLTemplateElement>(document, '#error-fields').content
  const fields = of === 'error' ? part(errors, 'table') : documented.get(operation)?.fields
  const described = part(operation, '.described')
  described.hidden = fields === null || fields === undefined
  if (fields !== null && fields !== undefined)
    part(described, '.members').replaceChildren(document.importNode(fields, true))
}

/** Until a request is sent: in the format that the form names. */
function showExample(operation: HTMLDetailsElement, words: Words): void {
  const example = documented.get(operation)?.examples.get(kindWanted(operation))
  if (example === undefined || requests.has(operation)) return
  const sample = part(operation, '.sample')
  part(sample, 'code').replaceChildren(...document.importNode(example, true).childNodes)
  if (sample.hidden) part(operation, '[role="status"]').textContent = words.example
  sample.hidden = false
}

let suggested = false

/** Names of funds beside their ISINs. Without the list of funds there are none, and any ISIN can be typed. */
async function suggestFunds(target: EventTarget | null): Promise<void> {
  if (suggested || !(target instanceof HTMLInputElement) || target.list === null) return
  suggested = true
  const list = target.list
  const { source = '' } = list.dataset
  if (source === '') return
  try {
    const answer = (await (await fetch(source)).json()) as {
      readonly funds: readonly { readonly isin: string; readonly name: string }[]
    }
    const options = answer.funds.map(({ isin, name }) => {
      const option = document.createElement('option')
      option.value = isin
      option.label = name
      return option
    })
    list.replaceChildren(...options)
  } catch {
    suggested = false
  }
}

/** Each operation that has all words in its path, its title or its group. */
function startFilter(explorer: HTMLElement, operations: readonly HTMLDetailsElement[], words: Words): void {
  const place = part(explorer, '.filter')
  const input = part<HTMLInputElement>(place, 'input')
  const state = part(place, '[role="status"]')
  const groups = [...explorer.querySelectorAll<HTMLElement>('.operations')]
  const texts = new Map(
    operations.map((operation) => {
      const group = operation.closest('.operations')?.querySelector('h2')?.textContent ?? ''
      return [operation, searchKey(`${group} ${operation.querySelector('summary')?.textContent ?? ''}`)]
    }),
  )
  const clear = () => {
    input.value = ''
    filter()
    input.focus()
  }
  const filter = () => {
    const typed = input.value.split(/\s+/).map(searchKey).filter(Boolean)
    for (const [operation, text] of texts) operation.hidden = !typed.every((word) => text.includes(word))
    for (const group of groups) group.hidden = group.querySelector('.operation:not([hidden])') === null
    const count = operations.filter(({ hidden }) => !hidden).length
    const text = typed.length === 0 ? '' : count === 0 ? words.noneFound : words.found
    const told = text.replace('{count}', String(count)).replace('{all}', String(operations.length))
    state.replaceChildren(
      ...messageWith(told, count === 0 ? { label: words.clear, press: clear } : undefined),
    )
  }
  place.hidden = false
  input.addEventListener('input', filter)
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return
    const first = operations.find(({ hidden }) => !hidden)
    if (first === undefined || input.value.trim() === '') return
    // The same press would close it again.
    event.preventDefault()
    first.open = true
    part(first, 'summary').focus()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return
    event.preventDefault()
    input.select()
  })
  filter()
}

if (location.protocol === 'file:') part(document, '#from-folder').hidden = false
else startExplorer(part(document, '#explorer'))
