/**
 * What the dependencies at run time weigh: bytes of their files and of all packages that only they bring, as `npm ci` installs them.
 *
 *     node test/bench/weights.ts            puts the figures into the table of src/README.md
 */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const top = join(import.meta.dirname, '../..')
const { packages } = JSON.parse(readFileSync(join(top, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Package>>
}
const names = Object.keys(packages['']?.dependencies ?? {})

/** Paths of the packages below `names` that are installed, each with what it needs itself. */
function closureOf(names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (name: string, from: string) => {
    const place = placeOf(name, from)
    if (place === null || found.has(place)) return
    found.add(place)
    const { dependencies, optionalDependencies, peerDependencies } = packages[place] ?? {}
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      add(next, place)
  }
  for (const name of names) add(name, '')
  return found
}

/** Where a package finds another one: in its own node_modules, or in those of the folders above. Null: it is not installed. */
function placeOf(name: string, from: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const place = join(folder, 'node_modules', name)
    if (place in packages) return place
    if (folder === '') return null
  }
}

/** Without the packages in its own node_modules. */
const bytesOf = (place: string): number =>
  readdirSync(join(top, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith('node_modules/'))
    .map((file) => statSync(join(top, place, file)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)

const megabytes = (places: Iterable<string>) =>
  ([...places].reduce((sum, place) => sum + bytesOf(place), 0) / 1e6).toFixed(1)

const all = closureOf(names)
const readme = join(top, 'src/README.md')
const text = readFileSync(readme, 'utf8')
  // Of packages that share a row, and what only they bring.
  .replace(/^(\| (`.+?`) \|.*\| )[\d.]* \|$/gm, (line, start: string, cell: string) => {
    const own = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    if (!own.every((name) => names.includes(name))) return line
    const others = closureOf(names.filter((name) => !own.includes(name)))
    return `${start}${megabytes([...all].filter((place) => !others.has(place)))} |`
  })
  .replace(/[\d.]+ MB in all/, `${megabytes(all)} MB in all`)
writeFileSync(readme, text)
