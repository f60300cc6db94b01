/** The order of keys in a bucket: by their UTF-8 bytes. JavaScript's own compares UTF-16 units, which differs. */

export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Surrogates stand for what lies behind U+FFFF, yet have lower numbers than U+E000 to U+FFFF. */
const rank = (unit: number): number => (unit < 0xd800 || unit > 0xdfff ? unit : unit + 0x10000)

export interface SortedKeys {
  readonly add: (key: string) => void
  readonly remove: (key: string) => void
  /** Sorted; not to be kept across changes. */
  readonly all: () => readonly string[]
}

/** Sorts late: what came since the last listing is merged in when the next one asks. */
export function makeSortedKeys(): SortedKeys {
  let sorted: string[] = []
  const added = new Set<string>()
  const removed = new Set<string>()
  return {
    add: (key) => {
      if (!removed.delete(key)) added.add(key)
    },
    remove: (key) => {
      if (!added.delete(key)) removed.add(key)
    },
    all: () => {
      if (removed.size > 0) sorted = sorted.filter((key) => !removed.has(key))
      if (added.size > 0) sorted = merge(sorted, [...added].sort(compareKeys))
      added.clear()
      removed.clear()
      return sorted
    },
  }
}

/** The first index from `from` on for which `isPast` holds; it must hold for all later ones too. */
export function seek(keys: readonly string[], from: number, isPast: (key: string) => boolean): number {
  let [low, high] = [from, keys.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isPast(keys[middle] ?? '')) high = middle
    else low = middle + 1
  }
  return low
}

function merge(a: readonly string[], b: readonly string[]): string[] {
  const merged: string[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]]
    const takeLeft = right === undefined || (left !== undefined && compareKeys(left, right) < 0)
    merged.push((takeLeft ? left : right) ?? '')
    if (takeLeft) i++
    else j++
  }
  return merged
}
