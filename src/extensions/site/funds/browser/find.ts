/** Finds a fund from the start page and from the page for missing ones: suggests funds, and opens one. Tells what became of a fund that is gone. */

import { fetchFunds, type ListedFund } from './fund-list.ts'
import { tellGoneFund } from './gone.ts'
import { fundPicker } from './picker.ts'
import { sayOf } from './say.ts'

void tellGoneFund(document.querySelector('#gone'))

const box = document.querySelector<HTMLElement>('#find')
if (box !== null) {
  const { funds = '', root = '', list = '' } = box.dataset
  const language = document.documentElement.lang === 'de' ? 'de' : 'en'
  const show = ({ page }: ListedFund) => {
    location.href = root + page[language]
  }
  fundPicker({
    place: box,
    say: sayOf(box),
    load: () => fetchFunds(funds),
    mayPick: () => true,
    onPick: show,
    onEnter: (found) => {
      const [only, ...more] = found ?? []
      if (only !== undefined && more.length === 0) show(only)
      // A page from a folder cannot load the list; the page of funds can search itself.
      else if (found?.length !== 0)
        location.href = `${list}?q=${encodeURIComponent(box.querySelector('input')?.value.trim() ?? '')}`
    },
  })
}
