/** The links that `serve` prints: each answers, and they are about a fund of which everything may be published. */
import { once } from 'node:events'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { editDatabase, readDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { expectSuccess } from './outcome.ts'
import { ended, run, start } from './run.ts'

const folder = tempFolder()
const cwd = folder.path

beforeAll(async () => {
  const env = {
    FUNDPRESS_PAGES: 'true',
    FUNDPRESS_DOWNLOADS: 'false',
    FUNDPRESS_BASE_URL: 'https://funds.example.org',
  }
  await expectSuccess(run('init --demo --funds 4 --years 2 --until 2026-11-19 --db funds.sqlite', { cwd }))
  for (const [index, withheld] of ['performance_permitted', 'prices_permitted', 'data_permitted'].entries())
    editDatabase(
      folder.file('funds.sqlite'),
      `UPDATE fund SET ${withheld} = 0 WHERE isin = (SELECT isin FROM fund ORDER BY isin LIMIT 1 OFFSET ${index})`,
    )
  await expectSuccess(run('build --db funds.sqlite --out out --as-of 2026-11-20', { cwd, env }))
  await expectSuccess(run(`publish --out out --bucket file://${folder.file('bucket')}`, { cwd, env }))
})

describe.each([
  ['a folder', '--out out'],
  ['a bucket', `--bucket file://${folder.file('bucket')}`],
])('serve of %s', (_, source) => {
  it('prints links that answer, of the one fund of which everything may be published', async () => {
    const server = start(`serve ${source} --port 0`, { cwd })
    const end = ended(server)
    onTestFinished(async () => {
      server.kill()
      await end
    })
    let said = ''
    while (!said.includes('/profile/')) said += String(await once(server.stdout ?? server, 'data'))
    const [address = ''] = /http:\S+/.exec(said) ?? []
    const links = [...said.matchAll(/^ {2}(http:\S+)$/gm)].map(([, link = '']) => link)
    const [isin = ''] = readDatabase(
      folder.file('funds.sqlite'),
      'SELECT isin FROM fund WHERE data_permitted AND prices_permitted AND performance_permitted',
    ).map((row) => String(row['isin']))
    expect(links.map((link) => link.replace(address, ''))).toEqual([
      '/funds/',
      `/funds/${isin}/`,
      '/docs/',
      `/api/v1/prices-current/${isin}/`,
      `/api/v1/prices-historic/${isin}/2026-01-01/2026-12-31/?format=xml`,
      `/api/v1/profile/${isin}/?language=en`,
    ])
    const answers = await Promise.all(links.map((link) => fetch(link)))
    expect(answers.map(({ status }) => status)).toEqual(links.map(() => 200))
  })
})
