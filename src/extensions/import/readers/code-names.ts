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

const regionName = namesOf('region', /^[A-Z]{2}$/)
/** Codes that users of ISO 3166 may give a meaning have no name; of these, the list of names has three that are no places. */
const noPlaces = ['ZZ', 'XA', 'XB']
const isNoPlace = (text: string): boolean =>
  /^[A-Z]{2}$/.test(text) && (noPlaces.includes(text) || regionName(text).de === text)

/** Of a code of ISO 3166. */
export const countryName = (text: string): Named =>
  isNoPlace(text) ? { de: 'Sonstige', en: 'Other' } : regionName(text)

/** @returns what is left out with a code that names no country; undefined for another text */
export const codeOfNoCountry = (text: string): string | undefined =>
  isNoPlace(text) ? `the code ${text}, which names no country: the item is Sonstige (Other)` : undefined

/** Of a code of ISO 4217. */
export const currencyName = namesOf('currency', /^[A-Z]{3}$/)
