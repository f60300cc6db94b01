/** What a start loads: a command line that needs no settings must not wait for the library that reads them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { expectSuccess } from './outcome.ts'
import { runAlone } from './run.ts'
import { tempFolder } from '../support/product.ts'

const folder = tempFolder()

it.each(['--version', '--help'])(
  '%s loads the parser of the command line, and no other library',
  async (words) => {
    const watch = folder.file('watch.mjs')
    writeFileSync(
      watch,
      `import { appendFileSync } from 'node:fs'
     import { registerHooks } from 'node:module'
     const load = (url, context, next) => {
       appendFileSync(process.env.LOADED, url + '\\n')
       return next(url, context)
     }
     registerHooks({ load })`,
    )
    const loaded = folder.file(`loaded${words}`)
    const env = { NODE_OPTIONS: `--import ${watch}`, LOADED: loaded }
    await expectSuccess(runAlone(words, { cwd: folder.path, env }))
    const libraries = readFileSync(loaded, 'utf8').match(/(?<=node_modules\/)(?:@[^/]+\/)?[^/\n]+/g) ?? []
    expect([...new Set(libraries)].sort()).toEqual(['@commander-js/extra-typings', 'commander'])
  },
)
