/** Words for yes, no and no value, and the WKN: what people and programs write in cells. */
import { describe, expect, it } from 'vitest'
import { dump } from './dialects.ts'
import { importFolder, isins } from './database.ts'

const folder = importFolder()
const isin = isins[2]

async function importCells(table: string, cells: Readonly<Record<string, string>>) {
  const db = folder.database()
  const all = { isin, ...cells }
  const ended = await folder.importLines(db, table, [Object.keys(all), Object.values(all)])
  const column = Object.keys(cells).at(-1) ?? ''
  const read = () => dump(folder.file(db), `${table} WHERE isin = '${isin}'`, column).rows[0]?.[0]
  return { ...ended, read }
}

const profile = {
  category_de: 'Aktien',
  fund_assets: '1',
  total_fund_assets: '1',
  end_of_fiscal_year: '12-31',
  accumulating: '1',
  conformity: '1',
  issue_surcharge: '0',
  redemption_fee: '0',
  total_expense_ratio: '1',
  management_fee: '1',
  custodian_bank_fee: '0',
  performance_fee: '0',
}

/** The column that a test reads comes last. */
const withLast = (name: 'accumulating', value: string) =>
  Object.fromEntries([...Object.entries(profile).filter(([other]) => other !== name), [name, value]])

describe('import of yes and no', () => {
  it.each([
    ...'0 false FALSCH no Nein N n f'.split(' ').map((word) => [word, 0] as const),
    ...'1 true WAHR yes Ja J y Y t x X'.split(' ').map((word) => [word, 1] as const),
  ])('takes %s', async (word, value) => {
    const { read, stderr } = await importCells('fund', { prices_permitted: word })
    expect({ stderr, value: read() }).toEqual({ stderr: '', value })
  })

  it.each([
    ['accumulating', 1],
    ['Thesaurierend', 1],
    ['Acc', 1],
    ['distributing', 0],
    ['ausschüttend', 0],
    ['Inc', 0],
    ['both', 0],
    ['accumulating and distributing', 0],
    ['Accumulating & Distributing', 0],
    ['Teilthesaurierend', 0],
    ['J', 1],
    ['N', 0],
  ])('takes %s of an accumulating fund', async (word, value) => {
    const { read, stderr } = await importCells('profile', withLast('accumulating', word))
    expect({ stderr, value: read() }).toEqual({ stderr: '', value })
  })

  it('refuses A of an accumulating fund, which is Ausschüttung in German', async () => {
    const { stdout } = await importCells('profile', { ...profile, accumulating: 'A' })
    expect(stdout).toContain('line 2: accumulating "A" is not one of 0, 1, ')
  })
})

const words = [
  'n/a',
  'N/A',
  'N.A.',
  'k.A.',
  'k. A.',
  'keine Angabe',
  '-',
  ' – ',
  '—',
  'null',
  'NaN',
  '(null)',
  'not available',
  '- %',
]

describe('import of a WKN', () => {
  it.each([
    ['847402', '847402'],
    [' a0rpwh ', 'A0RPWH'],
    ['n/a', null],
    ['', null],
  ])('takes %j as %j', async (cell, wkn) => {
    const { read, stderr } = await importCells('fund', { wkn: cell })
    expect({ stderr, wkn: read() }).toEqual({ stderr: '', wkn })
  })

  it.each(['47402', '8.47E+05', '973270.0', '847.402', 'A0RPWO', 'DE0008474024'])(
    'refuses %s',
    async (wkn) => {
      const { code, stdout } = await importCells('fund', { wkn })
      expect(code).toBe(1)
      expect(stdout).toContain(
        `line 2: wkn "${wkn}" is not a WKN: six digits and capital letters without I and O`,
      )
    },
  )
})

describe('import of words for a missing value', () => {
  it.each(words)('takes %j for NULL where there may be none', async (word) => {
    const text = await importCells('profile', { ...profile, benchmark: word })
    expect({ stderr: text.stderr, value: text.read() }).toEqual({ stderr: '', value: null })
    const day = await importCells('fund', { status_date: word })
    expect({ stderr: day.stderr, value: day.read() }).toEqual({ stderr: '', value: null })
  })

  it.each(words)('refuses the line where %j is no value, and there has to be one', async (word) => {
    const said = (column: string) =>
      `line 2: ${column} is ${JSON.stringify(word)}, which says that there is no value\n`
    expect((await importCells('fund', { name: word })).stdout).toContain(said('name'))
    const item = await importCells('launch_point', { date: '2024-01-02', value: word })
    expect(item.stdout).toContain(said('value'))
  })

  it.each(['NA', '.'])('takes %s for NULL in numbers, and as it is in texts', async (word) => {
    const amount = await importCells('profile', { ...profile, savings_plan_minimum: word })
    expect(amount.read()).toBe(null)
    const text = await importCells('profile', { ...profile, benchmark: word })
    expect(text.read()).toBe(word)
  })

  it.each(['#N/A', '#REF!', '#DIV/0!'])(
    'refuses %s, an error, also where there may be none',
    async (error) => {
      const { code, stdout } = await importCells('profile', { ...profile, benchmark: error })
      expect(code).toBe(1)
      expect(stdout).toContain(`line 2: benchmark "${error}" is an error of a spreadsheet\n`)
    },
  )
})
