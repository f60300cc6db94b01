/** The page for missing ones, at the address of a fund that is no longer published: since when, as the changes of the last days say. */

import { type ChangedFund, type ChangeHistory, publishesOf } from '../../../../core/api/contract/changes.ts'
import { dayIn } from '../../../../core/layout/formats.ts'
import { nameElement } from './fund-list.ts'
import { sayOf } from './say.ts'

/** @param place null on other pages. Without the list of changes, the page says what it says of any missing page. */
export async function tellGoneFund(place: HTMLElement | null): Promise<void> {
  const [, isin] = /\/funds\/(\w{12})(?:\/|$)/.exec(location.pathname) ?? []
  if (place === null || isin === undefined) return
  try {
    const response = await fetch(place.dataset['index'] ?? '')
    const found = response.ok ? removalOf(isin.toUpperCase(), (await response.json()) as ChangeHistory) : null
    if (found !== null) tell(place, found)
  } catch {
    // Nothing on the page depends on it.
  }
}

interface Removal {
  readonly fund: ChangedFund
  /** ISO 8601 */
  readonly day: string
}

/** @returns null if the fund was not removed in these days, or came back */
function removalOf(isin: string, { nights }: ChangeHistory): Removal | null {
  for (const night of nights)
    for (const { funds = [] } of publishesOf(night)) {
      const fund = funds.find((one) => one.isin === isin)
      if (fund?.what === 'added') return null
      if (fund?.what === 'removed') return { fund, day: night.as_of }
    }
  return null
}

/** The fund takes the place of the heading and the lead: they are about an address that nobody knows. */
function tell(place: HTMLElement, { fund: { isin, name }, day }: Removal): void {
  const say = sayOf(place)
  const shown = dayIn(document.documentElement.lang === 'de' ? 'de' : 'en', day)
  const link = document.createElement('a')
  link.href = `${place.dataset['changes'] ?? ''}?day=${day}#${isin}`
  link.textContent = say('changes', { day: shown })
  const known = name ?? isin
  document.querySelector('h1')?.replaceChildren(nameElement('bdi', { name: known }))
  document.title = document.title.replace(/^[^·]*(?= · |$)/, () => known)
  document.querySelector('h1 + .lead')?.remove()
  place.replaceChildren(`${say('since', { isin, day: shown })} `, link)
  place.hidden = false
}
