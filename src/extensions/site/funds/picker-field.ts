import { html, type Html } from '../../../core/layout/html.ts'
import { fundWords } from './wording.ts'
import type { Language } from '../../../core/api/routes/table.ts'

/** A field that suggests funds: `browser/picker.ts` makes it work. */
export const fundPickerField = (label: string): Html =>
  html`<div class="wide-field picker">
      <label for="search">${label}</label>
      <input
        id="search"
        type="text"
        role="combobox"
        aria-expanded="false"
        aria-controls="options"
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck="false"
      />
      <ul class="options" id="options" role="listbox" aria-label="${label}" hidden></ul>
    </div>
    <p role="status" id="found"></p>`

/** Texts of the script. */
export function pickerWords(language: Language) {
  const { found, foundOne, none: notFound, failedList } = fundWords[language]
  return { found, foundOne, notFound, failedList }
}
