/** The completion scripts, asked by a real bash in the way in which it asks itself. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { mustRun, tempFolder } from '../support/product.ts'

const folder = tempFolder()
let script = ''

beforeAll(async () => {
  script = await mustRun(['completion', 'bash'])
  writeFileSync(folder.file('completion.bash'), script)
  mkdirSync(folder.file('with space'))
  writeFileSync(folder.file('funds.sqlite'), '')
})

/** The words that bash offers for the last word of each line, sorted. One process asks for all: to start one is slow. */
function offeredFor(lines: readonly (readonly string[])[]): string[][] {
  const asks = lines.map((words) => {
    const quoted = ['fundpress', ...words].map((word) => `'${word}'`).join(' ')
    return `COMP_WORDS=(${quoted}) COMP_CWORD=${words.length}; $complete; printf '%s\\n' "\${COMPREPLY[@]}" --end--`
  })
  const find = `complete=$(complete -p fundpress | sed 's/.*-F \\([^ ]*\\).*/\\1/')`
  const said = execFileSync('bash', ['-c', ['source completion.bash', find, ...asks].join('\n')], {
    cwd: folder.path,
    encoding: 'utf8',
  })
  const answers = said.split('--end--\n').slice(0, -1)
  return answers.map((words) => (words.match(/.+/g) ?? []).sort())
}
const offered = (...words: readonly string[]): string[] => offeredFor([words])[0] ?? []

it('offers every command that the help lists', async () => {
  const help = await mustRun(['--help'])
  const listed = [...help.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name)
  expect(offered('')).toEqual(listed.filter((name) => name !== 'help').sort())
  expect(offered('ro')).toEqual(['rollback'])
})

it('offers the options of the command and the global ones', () => {
  const options = offered('show', '--')
  expect(options).toEqual(expect.arrayContaining(['--db', '--out', '--language', '--config', '--quiet']))
  expect(options).not.toContain('--shard')
  expect(offered('show', '--js')).toEqual(['--json'])
  expect(offered('--quiet', 'build', '--since')).toEqual(['--since'])
  expect(offered('status', '')).toContain('--bucket')
})

it('offers the choices of an option and of an argument, and nothing for a number', () => {
  expect(offered('build', '--jobs', '')).toEqual([])
  expect(offered('show', '--language', '')).toEqual(['de', 'en'])
  expect(offered('show', '--language', '=', 'd')).toEqual(['de'])
  expect(offered('completion', '')).toEqual(['bash', 'fish', 'zsh'])
})

it('offers the tables of the schema, then files', async () => {
  await mustRun(['init', '--db', folder.file('new.db'), '--quiet'])
  const db = new Database(folder.file('new.db'))
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  db.close()
  rmSync(folder.file('new.db'))
  expect(offered('import', '')).toEqual(tables.toSorted())
  expect(offered('import', 'p')).toEqual(['performance_year', 'price', 'profile'])
  expect(offered('import', '--db', 'funds.sqlite', 'em')).toEqual(['emt'])
  const files = ['completion.bash', 'funds.sqlite', 'with space']
  expect(offered('import', 'price', '')).toEqual(files)
  expect(offered('import', '--db', 'funds.sqlite', 'emt', 'wi')).toEqual(['with space'])
  expect(offered('import', 'price', '--json', '')).toEqual(files)
  expect(offered('import', 'price', '--deli')).toEqual(['--delimiter'])

  const fish = (await mustRun(['completion', 'fish'])).split('\n').filter((line) => line.includes('import;'))
  const listed = / -a '([^']*)'/.exec(fish[0] ?? '')?.[1]?.split(' ') ?? []
  expect(listed.toSorted()).toEqual(tables.toSorted())
  const seen = `__fish_seen_subcommand_from ${listed.join(' ')}`
  expect(fish).toEqual([
    `complete -c fundpress -n '__fish_seen_subcommand_from import; and not ${seen}' -a '${listed.join(' ')}'`,
    `complete -c fundpress -n '__fish_seen_subcommand_from import; and ${seen}' -F`,
  ])
  expect(await mustRun(['completion', 'zsh'])).toContain(
    `in ${listed.map((table) => `*' ${table} '*`).join('|')}) _files ;; *) compadd -- 'fund'`,
  )
  const help = (await mustRun(['import', '--help'])).replace(/\s+/g, ' ')
  expect(help).toContain(`(choices: ${listed.map((table) => `"${table}"`).join(', ')})`)
})

it('offers files for a path, also with a space in the name', () => {
  const files = ['completion.bash', 'funds.sqlite', 'with space']
  expect(offered('build', '--db', '')).toEqual(files)
  expect(offered('diff', '')).toEqual(files)
  expect(offered('build', '--out', 'wi')).toEqual(['with space'])
  expect(offered('--config', 'fu')).toEqual(['funds.sqlite'])
})

it('is registered for this command in an interactive bash', () => {
  const typed = execFileSync('bash', ['--norc', '-i'], {
    cwd: folder.path,
    encoding: 'utf8',
    input: `source completion.bash; complete -p fundpress\n`,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  expect(typed).toContain('complete -F _fundpress fundpress')
})

it('has the same commands and options for zsh and fish', async () => {
  const commands = offered('')
  const options = offeredFor(commands.map((command) => [command, '--'])).flat()
  for (const shell of ['zsh', 'fish']) {
    const other = await mustRun(['completion', shell])
    for (const word of [...commands, ...options]) expect(other).toContain(word.replace(/^--/, ''))
  }
})
