/** A number of things in words: `data-one` for one, else `data-many`, with `{count}`. */
export function countText({ dataset }: HTMLElement, count: number): string {
  const text = (count === 1 ? dataset['one'] : dataset['many']) ?? ''
  return text.replace('{count}', count.toLocaleString(document.documentElement.lang))
}
