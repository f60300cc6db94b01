/**
 * What several test files read: made once a process, and removed with everything that the run of the tests has written.
 * Nobody may change it.
 */
const made = new Map<string, Promise<unknown>>()

export function once<T>(name: string, make: () => Promise<T>): Promise<T> {
  const known = made.get(name) ?? make()
  made.set(name, known)
  return known as Promise<T>
}
