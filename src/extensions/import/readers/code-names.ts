/** Names of countries and currencies, which files name by their codes, in both languages of the API. */

export interface Named {
  readonly de: string
  /** Null if the file has one name only. */
  readonly en: string | null
}

export const asItIs = (text: string): Named => ({ de: text, en: null })

/** @returns the name of a code in both languages, or another text as it is; each is looked up once */
function namesOf(type: 'region' | 'currency', form: RegExp): (text: string) => Named {
  const german = new Intl.DisplayNames('de', { type })
  const english = new Intl.DisplayNames('en', { type })
  const known = new Map<string, Named>()
  return (text) => {
    if (!form.test(text)) return asItIs(text)
    const name = known.get(text) ?? { de: german.of(text) ?? text, en: english.of(text) ?? text }
    known.set(text, name)
    return name
  }
}

/** Of a code of ISO 3166. */
export const countryName = namesOf('region', /^[A-Z]{2}$/)

/** Of a code of ISO 4217. */
export const currencyName = namesOf('currency', /^[A-Z]{3}$/)
