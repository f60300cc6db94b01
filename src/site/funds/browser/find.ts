/** Finds a fund from the start page and from the page for missing ones: lists matches, and opens one. */

import { fetchFunds, fundText, type ListedFund } from './fund-list.ts'
import { type SearchText, searchFor } from './search.ts'

interface FindableFund {
  readonly fund: ListedFund
  readonly text: SearchText
}

const most = 8
const box = document.querySelector<HTMLElement>('#find')
const input = box?.querySelector('input')
const told = box?.querySelector('p')
const results = box?.querySelector('ul')
if (box && input && told && results) {
  const { funds = '', root = '', list = '' } = box.dataset
  const language = document.documentElement.lang === 'de' ? 'de' : 'en'
  // Loaded on first use: the list of many funds is large.
  let loaded: Promise<readonly FindableFund[]> | undefined
  const load = () =>
    (loaded ??= loadFunds(funds).catch((error: unknown) => {
      // The next letter tries again.
      loaded = undefined
      throw error
    }))

  const matches = async () => {
    const typed = input.value.trim()
    if (typed === '') return []
    const isFound = searchFor(typed)
    return (await load()).filter(({ text }) => isFound(text)).map(({ fund }) => fund)
  }
  const addressOf = ({ page }: ListedFund) => root + page[language]

  const show = async () => {
    const asked = input.value
    // A page from a folder cannot load the list; the page of funds can search itself.
    const found = await matches().catch(() => null)
    if (input.value !== asked) return
    results.replaceChildren(
      ...(found ?? []).slice(0, most).map((fund) => {
        const item = document.createElement('li')
        const link = document.createElement('a')
        const code = document.createElement('small')
        link.href = addressOf(fund)
        link.textContent = fund.name
        code.textContent = fund.isin
        item.append(link, ' ', code)
        return item
      }),
    )
    if (found === null || asked.trim() === '') told.textContent = ''
    else if (found.length === 0) told.textContent = told.dataset['none'] ?? ''
    else told.textContent = `${told.dataset['words'] ?? ''} ${found.length.toLocaleString(language)}`
  }

  const go = async () => {
    if (input.value.trim() === '') return
    const found = await matches().catch(() => null)
    const [only] = found ?? []
    if (found !== null && only === undefined) return
    const isOne = found?.length === 1 && only !== undefined
    location.href = isOne ? addressOf(only) : `${list}?q=${encodeURIComponent(input.value.trim())}`
  }

  input.addEventListener('input', () => void show())
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.isComposing) void go()
  })
  // The browser's back button restores the typed text.
  if (input.value !== '') void show()
}

async function loadFunds(address: string): Promise<readonly FindableFund[]> {
  return (await fetchFunds(address)).map((fund) => ({ fund, text: fundText(fund) }))
}
