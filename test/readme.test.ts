/** What the READMEs show works as it stands: their config files are valid, and their commands leave `git status` clean. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { coreSettings, parseConfig } from '../src/core/cli/load-settings.ts'
import { openRules } from '../src/core/guards/rules.ts'
import { expectSuccess } from './cli/outcome.ts'
import { ended, run, start } from './cli/run.ts'
import { repository, tempFolder, withoutPages } from './support/product.ts'
import { lacks } from './support/programs.ts'
import { known } from './support/settings.ts'

const read = (file: string) => readFileSync(join(repository, file), 'utf8')
const readmes = [
  'README.md',
  ...readdirSync(join(repository, 'templates'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)(README|SETUP)[^/]*\.md$/.test(file))
    .map((file) => `templates/${file}`),
]

/** The text of JSON blocks; `fundpress edge` fills the templates' names in. */
const jsonOf = (file: string) =>
  [...read(file).matchAll(/^( *)```json\n([^]*?)^\1```$/gm)].map(([, , text = '']) =>
    text.replaceAll('{{bucket}}', 'fund-data').replaceAll('{{region}}', 'eu-central-1'),
  )

/** Policies of a bucket are JSON, too. */
const configs = readmes.flatMap((file) =>
  jsonOf(file)
    .filter((text) => !text.includes('"Statement"'))
    .map((text, index) => [file, index + 1, text] as const),
)

it.each(configs)('the config file in %s (block %d) is valid as it stands', async (file, _, text) => {
  const settings = coreSettings(parseConfig(known, file, text), 2)
  // An unknown calendar is no mistake for the schema.
  await openRules(settings.freshness)
  const { $schema = null } = JSON.parse(text) as { readonly $schema?: string }
  if ($schema !== null) expect(existsSync(join(repository, $schema))).toBe(true)
})

it('the config file of the README makes a snapshot with pages as it stands', async () => {
  const folder = tempFolder()
  await expectSuccess(run('init --demo --funds 2 --years 1 --db funds.sqlite', { cwd: folder.path }))
  writeFileSync(folder.file('fundpress.config.json'), jsonOf('README.md')[0] ?? '')
  const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'false' }
  await expectSuccess(run('build', { cwd: folder.path, env }))
  expect(readFileSync(folder.file('out/funds/index.html'), 'utf8')).toContain('Muster KVG')
})

it('a second `npm start` serves, too, while the first one runs', async () => {
  const folder = tempFolder()
  await expectSuccess(run('init --demo --funds 1 --years 1', { cwd: folder.path }))
  await expectSuccess(run('build --db data/demo.sqlite', { cwd: folder.path, env: withoutPages }))
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Record<'start', string> }
  const [, words = ''] = / && node src\/fundpress\.mjs (serve [^&]*)$/.exec(scripts.start) ?? []
  for (const each of [1, 2].map(() => start(words, { cwd: folder.path }))) {
    const end = ended(each)
    onTestFinished(async () => {
      each.kill()
      await end
    })
    const [said] = (await once(each.stdout ?? each, 'data')) as [Buffer]
    expect(said.toString()).toMatch(/^serving \S+ from out on http:\/\/127\.0\.0\.1:\d+\n/)
  }
})

it('the map of the source names each dependency at run time, with its reason and weight', () => {
  const [, section = ''] = /^## Dependencies\n(.*?)^## /ms.exec(read('src/README.md')) ?? []
  const rows = [...section.matchAll(/^\| ((?:`[^`]+` )+)\| [^|]{10,} \| \d+\.\d \|$/gm)]
  const named = rows.flatMap(([, names = '']) => names.match(/[^` ]+/g) ?? [])
  const { dependencies } = JSON.parse(read('package.json')) as { readonly dependencies: object }
  expect(named.sort()).toEqual(Object.keys(dependencies).sort())
})

it('finds config files in the README of the project and of platforms', () => {
  const files = configs.map(([file]) => file)
  expect(files).toContain('README.md')
  expect(files).toContain('templates/cloudfront/README.md')
})

it.skipIf(lacks('git'))(
  'git ignores what `npm start` and the commands of the README read and write in a checkout',
  () => {
    const folder = tempFolder()
    const git = (...args: readonly string[]) =>
      spawnSync('git', ['-c', 'safe.directory=*', ...args], { cwd: folder.path, encoding: 'utf8' })
    git('init', '--quiet')
    copyFileSync(join(repository, '.gitignore'), folder.file('.gitignore'))

    const { scripts } = JSON.parse(read('package.json')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const commands = read('README.md').match(/^fundpress .*$/gm) ?? []
    const lines = [...commands, scripts['start'] ?? '']
    const words = lines.flatMap((line) => [...line.matchAll(/--(?:db|out) (\S+)|import +\w+ (\S+)/g)])
    const named = words.map(([, written, given]) => written ?? given ?? '')
    expect(named).toEqual(expect.arrayContaining(['funds.sqlite', 'out', 'data/demo.sqlite', 'prices.csv']))
    const databases = named.filter((name) => name.endsWith('.sqlite'))
    const beside = databases.flatMap((name) => [
      ...[`${name}-wal`, `${name}-shm`, `${name}-journal`, `${name}.2026-11-22T23-54-00.888Z.backup`],
      ...(name.includes('/') ? [] : [`.${name}.fundpress-123.tmp`]),
    ])
    const places = [...new Set([...named, ...beside, '.out.build-123', '.out.old-123'])].map((name) =>
      name.includes('.') ? name : `${name}/manifest.ndjson.gz`,
    )
    const ignored = git('check-ignore', '--no-index', ...places)
      .stdout.trim()
      .split('\n')
    expect(places.filter((place) => !ignored.includes(place))).toEqual([])
    // And nothing of the sources: such a rule would lose a file of a commit.
    const sources = ['src/core/cli/main.ts', 'templates/schema.sql', 'fundpress.config.json', 'test/x.csv']
    expect(git('check-ignore', '--no-index', ...sources).stdout).toBe('')
  },
)
