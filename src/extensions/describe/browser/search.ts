/** The search in the documentation: a dialog that `/` and Ctrl+K open. It loads the index when it is opened for the first time.
 * Also the links to the other language, which keep the section.
 */

import { keepInLanguages } from '../../../core/layout/browser/address.ts'
import { messageWith } from '../../../core/layout/browser/message.ts'
import type { SearchedPage } from '../searched.ts'
import { findParts, firstParts, type Found, placesIn, wordsOf } from './find-parts.ts'
import { isTyping } from './typing.ts'

/** More are no help: another word is. */
const most = 12

keepInLanguages()
const dialog = document.querySelector<HTMLDialogElement>('#search')
const opener = document.querySelector<HTMLElement>('#open-search')
if (dialog !== null && opener !== null) documentationSearch(dialog, opener)

function documentationSearch(dialog: HTMLDialogElement, opener: HTMLElement): void {
  const part = <T extends HTMLElement>(selector: string) => {
    const found = dialog.querySelector<T>(selector)
    if (found === null) throw new Error(`the search has no ${selector}`)
    return found
  }
  const input = part<HTMLInputElement>('input')
  const status = part('[role=status]')
  const list = part('ol')
  const { index = '', root = '', words = '{}', again = '' } = dialog.dataset
  const says = JSON.parse(words) as Readonly<Record<string, string>>
  let pages: readonly SearchedPage[] | undefined

  const tell = (text: string, onAgain?: () => void) => {
    status.replaceChildren(...messageWith(text, onAgain && { label: again, press: onAgain }))
  }
  const show = () => {
    if (pages === undefined) return
    if (input.value.trim() === '') {
      list.replaceChildren(...firstParts(pages).map((one) => resultOf(one, root, '')))
      tell(says['pages'] ?? '')
      return
    }
    const found = findParts(pages, input.value)
    list.replaceChildren(...found.slice(0, most).map((one) => resultOf(one, root, input.value)))
    const name =
      found.length > most ? 'first' : found.length === 1 ? 'one' : found.length > 1 ? 'many' : 'none'
    tell((says[name] ?? '').replace('{count}', String(Math.min(most, found.length))))
  }
  const load = async () => {
    if (location.protocol === 'file:') {
      tell(says['folder'] ?? '')
      return
    }
    tell(says['waiting'] ?? '')
    try {
      const response = await fetch(index)
      if (!response.ok) throw new Error(`${index}: ${response.status}`)
      pages = (await response.json()) as readonly SearchedPage[]
      show()
    } catch {
      tell(says['failed'] ?? '', () => void load())
    }
  }
  let loading: Promise<void> | undefined
  const open = () => {
    if (dialog.open) return
    dialog.showModal()
    input.select()
    if (pages !== undefined) return
    loading ??= load().finally(() => {
      loading = undefined
    })
  }
  opener.addEventListener('click', open)
  part('button').addEventListener('click', () => dialog.close())
  // A press beside the dialog is one on its backdrop, which counts as the dialog itself.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
  })
  // A result may be on this page.
  list.addEventListener('click', () => dialog.close())
  input.addEventListener('input', show)
  document.addEventListener('keydown', (event) => {
    if (event.altKey || isTyping(event.target)) return
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey
    const isK = event.key.toLowerCase() === 'k' && event.ctrlKey !== event.metaKey
    if (!isSlash && !isK) return
    event.preventDefault()
    open()
  })
  dialog.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')]
    const at = links.findIndex((link) => link === document.activeElement)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter' && event.target === input && !event.isComposing) links[0]?.click()
    else if (step === undefined || links.length === 0) return
    else (at + step < 0 ? input : links[Math.min(at + step, links.length - 1)])?.focus()
    event.preventDefault()
  })
}

/** Heading, page and sentence: one link. */
function resultOf({ page, part, sentence }: Found, root: string, typed: string): HTMLElement {
  const link = document.createElement('a')
  link.href = root + page.path + (part.id === '' ? '' : `#${part.id}`)
  const heading = document.createElement('strong')
  heading.append(...marked(part.heading, typed))
  const place = document.createElement('small')
  place.textContent = page.title
  const text = document.createElement('span')
  text.append(...marked(sentence, typed))
  link.append(heading, ' ', ...(part.heading === page.title ? [] : [place, ' ']), text)
  const item = document.createElement('li')
  item.append(link)
  return item
}

/** The words that were typed, as they were found: `ausschuettung` marks `Ausschüttung`. */
function marked(text: string, typed: string): readonly (Node | string)[] {
  let shown = 0
  const pieces = placesIn(text, wordsOf(typed)).flatMap(({ from, to }) => {
    const mark = document.createElement('mark')
    mark.textContent = text.slice(from, to)
    const before = text.slice(shown, from)
    shown = to
    return [before, mark]
  })
  return [...pieces, text.slice(shown)]
}
