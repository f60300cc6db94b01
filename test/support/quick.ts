/** Which tests are quick: the rule of `npm run check`. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What starts a program, a server or a browser. */
const starters = /from '(?:node:(?:child_process|http|https|net|worker_threads)|miniflare|playwright-core)'/
/** They start nothing, but compute for a long time: `npm test` runs them. */
const slow = /^test\/(?:demo\/|bucket\/(?:manifest|schedules)\.)/
const imports = /^(?:import|export)\b[^'"]*? from '(\.[^']+\.ts)'/gm

/**
 * Finds the tests that start nothing: neither they nor what they import of `test/` can start a program, a server or a browser.
 * A test becomes quick, or stops being so, by what it imports.
 * @param root folder of the repository @returns paths from there
 */
export function quickTests(root: string): string[] {
  const known = new Map<string, boolean>()
  const startsNothing = (file: string): boolean => {
    const answer = known.get(file)
    if (answer !== undefined) return answer
    // Of files that import each other, the others decide.
    known.set(file, true)
    const text = readFileSync(join(root, file), 'utf8')
    const helpers = [...text.matchAll(imports)]
      .map(([, path = '']) => join(dirname(file), path))
      .filter((path) => path.startsWith('test/'))
    const isQuick = !starters.test(text) && helpers.every(startsNothing)
    known.set(file, isQuick)
    return isQuick
  }
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file))
    .filter((file) => !slow.test(file) && startsNothing(file))
    .sort()
}
