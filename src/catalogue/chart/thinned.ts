/** Every n-th of them, and the last one: at most so many. */
export function thinned<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all
  const step = Math.ceil(all.length / (most - 1))
  return all.filter((_, index) => index % step === 0 || index === all.length - 1)
}
