/** A text by its name, with its placeholders filled in. */
export type Say = (name: string, values?: Readonly<Record<string, string>>) => string

/** @param place has the texts of the page's language in `data-words`, as JSON */
export function sayOf({ dataset }: HTMLElement): Say {
  const words = JSON.parse(dataset['words'] ?? '{}') as Readonly<Record<string, string>>
  return (name, values = {}) =>
    (words[name] ?? '').replace(/\{(\w+)\}/g, (_, place: string) => values[place] ?? '')
}
