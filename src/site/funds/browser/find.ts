/** Finds a fund from the start page, and from the page in place of missing ones: shows what matches, and goes there. */

import { searchKey } from '../chart/formats.ts'

interface ListedFund {
  readonly isin: string
  readonly wkn: string | null
  readonly name: string
  readonly page: Readonly<Record<string, string>>
}

interface FindableFund {
  readonly fund: ListedFund
  readonly text: string
}

const most = 8
const box = document.querySelector<HTMLElement>('#find')
const input = box?.querySelector('input')
const told = box?.querySelector('p')
const results = box?.querySelector('ul')
if (box && input && told && results) {
  const { funds = '', root = '', list = '' } = box.dataset
  const language = document.documentElement.lang
  // Asked for when it is first needed: the list of many funds is large.
  let loaded: Promise<readonly FindableFund[]> | undefined
  const load = () => (loaded ??= loadFunds(funds))

  const matches = async () => {
    const words = searchKey(input.value).split(/\s+/).filter(Boolean)
    if (words.length === 0) return []
    const found = await load()
    return found.filter(({ text }) => words.every((word) => text.includes(word))).map(({ fund }) => fund)
  }
  const addressOf = ({ page }: ListedFund) => root + (page[language] ?? '')

  const show = async () => {
    const asked = input.value
    // A page that is opened from a folder cannot read the list: the list itself can still search.
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
    if (event.key === 'Enter') void go()
  })
  // The browser's back button restores what was typed.
  if (input.value !== '') void show()
}

// What only a published snapshot has stays hidden elsewhere.
if (location.protocol !== 'file:')
  for (const place of document.querySelectorAll<HTMLElement>('[data-address]'))
    linkIfThere(place).catch(() => undefined)

/** Makes its first element a link, and shows it. */
async function linkIfThere(place: HTMLElement): Promise<void> {
  const address = place.dataset['address'] ?? ''
  const response = await fetch(address)
  await response.text()
  const name = place.firstElementChild
  if (!response.ok || name === null) return
  const link = document.createElement('a')
  link.href = address
  link.append(...name.childNodes)
  name.append(link)
  place.hidden = false
}

async function loadFunds(address: string): Promise<readonly FindableFund[]> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  const { funds } = (await response.json()) as { readonly funds: readonly ListedFund[] }
  return funds.map((fund) => ({ fund, text: searchKey(`${fund.name} ${fund.isin} ${fund.wkn ?? ''}`) }))
}
