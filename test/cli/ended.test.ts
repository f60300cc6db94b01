/** The hook `ended`: extensions hear of the end of runs, and none of them can fail one. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { asOf, freshness, makePricedFunds } from '../support/priced-funds.ts'
import { repository, tempFolder, withoutPages } from '../support/product.ts'
import { cleanEnvironment } from './run.ts'

const folder = tempFolder()

/** A fundpress with extensions that tests write: each hook notes that it was asked, or throws. */
function install(name: string, extensions: string): string {
  const main = pathToFileURL(join(repository, 'src/core/cli/main.ts')).href
  const file = folder.file(`${name}.mjs`)
  // Threads load the list, too: it is a module of its own.
  writeFileSync(
    folder.file(`${name}-list.mjs`),
    `import { appendFileSync } from 'node:fs'
     const note = (what) => appendFileSync('asked.txt', what + '\\n')
     const fail = (what) => { throw new Error(what + ' is broken') }
     const load = (hooks) => async () => ({ ended: hooks })
     export const extensions = { list: [${extensions}], address: import.meta.url }`,
  )
  writeFileSync(
    file,
    `import { main } from '${main}'
     import { extensions } from './${name}-list.mjs'
     await main(extensions)`,
  )
  return file
}

function run(file: string, line: string) {
  const env = { ...cleanEnvironment(), ...withoutPages }
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [file, ...line.split(' ')],
      { cwd: folder.path, env },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

const night = `nightly --db funds.sqlite --as-of ${asOf} --bucket file://`

beforeAll(() => {
  makePricedFunds(folder.file('funds.sqlite'))
  writeFileSync(
    folder.file('fundpress.config.json'),
    JSON.stringify({ freshness, expectations: { strictness: 0.1 } }),
  )
})

it('a night without extensions goes live, and does nothing again', async () => {
  const bare = install('bare', '')
  const bucket = folder.file('bare')
  expect(await run(bare, night + bucket)).toMatchObject({ code: 0 })
  expect((await run(bare, night + bucket)).stdout).toContain('nothing to do')
  expect((await run(bare, `verify --bucket file://${bucket}`)).stdout).toContain('matches its manifest')
})

it('an extension that breaks is a warning, and the others are asked all the same', async () => {
  const file = install(
    'broken',
    `{ name: 'unloadable', ended: () => fail('unloadable') },
     { name: 'broken', ended: load({ night: () => fail('night'), run: () => fail('run') }) },
     { name: 'noting', ended: load({
       night: (_, { facts }) => note('night ' + facts.outcome),
       run: async (_, facts) => { note(facts.command + ' ' + facts.outcome); return true },
     }) }`,
  )
  const { code, stderr } = await run(file, night + folder.file('broken'))
  expect(stderr.match(/^warning {2}night: .*/gm)).toEqual([
    'warning  night: unloadable is broken',
    'warning  night: night is broken',
    'warning  night: run is broken',
  ])
  expect(code).toBe(0)
  const failed = await run(file, `verify --bucket file://${folder.file('nothing')}`)
  expect(failed.stderr).toContain('fundpress: run is broken\n')
  expect(failed.code).toBe(1)
  expect(readFileSync(folder.file('asked.txt'), 'utf8')).toBe('night done\nnightly done\nverify failed\n')
})

it.each([
  ['nightly --summary night.md', /^fundpress: --summary: this fundpress has no extension that reads it\n$/],
  [
    'nightly --metrics night.prom',
    /^fundpress: unknown option '--metrics' \(see fundpress nightly --help\)\n$/,
  ],
  ['status --metrics status.prom', /^fundpress: --metrics: this fundpress has no extension that reads it\n$/],
  [
    'status --config told.json',
    /^fundpress: config file told\.json: unknown key "notify" \(there are db, out, .*\)\n$/,
  ],
])('%s is refused if no extension reads it', async (line, stderr) => {
  const bare = install('bare', '')
  writeFileSync(folder.file('told.json'), JSON.stringify({ notify: [{ type: 'command', command: 'true' }] }))
  expect(await run(bare, `${line} --bucket file:///srv/nowhere`)).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(stderr) as unknown,
  })
})
