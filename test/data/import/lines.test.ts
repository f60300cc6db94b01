/** Which line names the columns, and which lines are no rows: titles above, headings between, disclaimers below. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { dump } from './dialects.ts'
import { importFolder, isins } from './database.ts'

const folder = importFolder()
const isin = isins[2]

let files = 0
async function importText(text: string, ...flags: readonly string[]) {
  const file = `lines-${files++}.csv`
  const db = folder.database()
  writeFileSync(folder.file(file), text)
  const ended = await folder.import('legal_point', file, '--db', db, ...flags)
  const rows = () =>
    dump(folder.file(db), `legal_point WHERE isin = '${isin}' ORDER BY date`, 'date, value').rows.map(
      ([date, value]) => ({ date, value }),
    )
  return { ...ended, said: ended.stderr.replace(`fundpress: ${file}`, 'file').trim(), rows }
}

const row = `${isin};2024-01-02;1`
const rows = [{ date: '2024-01-02', value: 1 }]

describe('import finds the header', () => {
  it.each([
    [
      'below a title and dates',
      `Points of the fund\n"As of";"Nov 26, 2026"\n\u00a0\nisin;date;value\n${row}\n`,
      4,
    ],
    ['below lines that have one of its names', `Date;27.11.2026\nName;value\n\nisin;date;value\n${row}\n`, 4],
    ['below a title with a quotation mark', `The "best" points\nisin;date;value\n${row}\n`, 2],
    ['in the last of fifty lines', `${'Title\n'.repeat(49)}isin;date;value\n${row}\n`, 50],
    ['with the delimiter that it has, not the title', `a,b,c,d,e,f\nisin;date;value\n${row}\n`, 2],
  ])('%s', async (_, text, line) => {
    const { code, stdout, said, rows: found } = await importText(text)
    expect({ code, said }).toEqual({ code: 0, said: '' })
    expect(stdout).toContain(`, header in line ${line}, `)
    expect(found()).toEqual(rows)
  })

  it('in the first line, if a later one has no more names', async () => {
    const { stdout, code } = await importText(`isin;date;value\n${row}\nisin;date;value\n`)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('lines that repeat the header (1, the first: line 3)'),
    })
    expect(stdout).not.toContain('header in line')
  })

  it('nowhere behind fifty lines', async () => {
    const { said } = await importText(`${'Title\n'.repeat(50)}isin;date;value\n${row}\n`)
    expect(said).toContain('file, line 1: table legal_point has no column "Title"')
    expect(said).toContain('; if the header is further down, --skip-lines says where')
  })
})

describe('import with --skip-lines', () => {
  it.each([
    ['\n', 'An "open title\n'],
    ['\r\n', 'An "open title\r\n'],
    ['\r', 'An "open title\r'],
  ])('skips whatever is there, with lines that end in %j', async (end, title) => {
    const text = `${title}Date;27.11.2026${end}isin;date;value${end}${row}${end}`
    const { stdout, said, rows: found } = await importText(text, '--skip-lines', '2')
    expect(said).toBe('')
    expect(stdout).toContain(', header in line 3, ')
    expect(found()).toEqual(rows)
  })

  it('takes the next line for the header, and counts lines from the beginning', async () => {
    const text = `sep=,\n\nfoo;bar\nisin;date;value\n${row}\n`
    expect((await importText(text, '--skip-lines', '1')).said).toContain(
      'file, line 3: table legal_point has no',
    )
    const bad = await importText(`x\n${text.replace('foo;bar\n', '')}${isin};x;1\n`, '--skip-lines', '2')
    expect(bad.stdout).toContain('line 6: date "x" is not a day')
  })

  it('finds no header if it skips all', async () => {
    expect((await importText(`isin;date;value\n${row}\n`, '--skip-lines', '2')).said).toBe('file is empty')
  })
})

describe('import leaves lines of text out', () => {
  const headed = (...lines: readonly string[]) => ['isin;date;value', ...lines].join('\n')

  it.each([
    [
      'a disclaimer behind an empty line',
      headed(row, '', 'All rights reserved.', 'No offer of shares.'),
      2,
      4,
    ],
    ['a disclaimer with delimiters', headed(row, ';;', '"All rights; reserved.";;'), 1, 4],
    ['headings of sections', headed('', 'Funds of bonds', '', 'Some Company', '', row), 2, 3],
  ])('%s', async (_, text, count, first) => {
    const { stdout, said, rows: found } = await importText(text)
    expect(said).toBe('')
    expect(stdout).toContain(`left out  lines of text (${count}, the first: line ${first})\n`)
    expect(found()).toEqual(rows)
  })

  it.each([
    ['text without an empty line before it', headed(row, 'All rights reserved.'), 3],
    ['a line that was cut off', headed(row, '', isin.slice(0, 9)), 4],
    ['a sum', headed(row, '', 'Total;;1'), 4],
  ])('but not %s', async (_, text, line) => {
    const { code, stdout } = await importText(text)
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(`line ${line}: `) })
  })
})

describe('import of a file', () => {
  it.each([
    ['with pipes', `isin|date|value\n${row.replaceAll(';', '|')}\n`, []],
    [
      'with pipes that are asked for',
      `isin|date|value\n${row.replaceAll(';', '|')}\n`,
      ['--delimiter', 'pipe'],
    ],
    ['with pipes that Excel is told', `sep=|\nisin|date|value\n${row.replaceAll(';', '|')}\n`, []],
    ['of a host, with Ctrl-Z at its end', `isin;date;value\r\n${row}\r\n\u001a`, []],
    ['with names that macOS has taken apart', `isin;Datu\u0308m;value\n${row}\n`, ['--map', 'Datüm=date']],
    ['with blanks that do not break', `isin;as\u00a0of;value\n${row}\n`, ['--map', 'As of=date']],
    ['with wrapped names', `isin;"as\r\nof";value\n${row}\n`, ['--map', 'as of=date']],
    ['with wrapped names that a flag has, too', `isin;"as\nof";value\n${row}\n`, ['--map', 'as\nof=date']],
  ])('%s', async (_, text, flags) => {
    const { said, rows: found } = await importText(text, ...flags)
    expect({ said, rows: found() }).toEqual({ said: '', rows })
  })

  it('refuses lines that are in quotation marks as a whole', async () => {
    const { said } = await importText(`"isin;date;value"\n"${row}"\n`)
    expect(said).toBe(
      'file, line 1: all of it is in quotation marks, as a spreadsheet writes a line that it took for one cell: ' +
        'export it again, or remove the quotation marks around the lines',
    )
  })
})

describe('lines of programs that write more than rows', () => {
  const imported = async (...lines: readonly string[]) => {
    const db = folder.database()
    editDatabase(folder.file(db), 'DELETE FROM performance_year')
    writeFileSync(folder.file('more.csv'), lines.join('\n'))
    const ended = await folder.import('performance_year', 'more.csv', '--db', db, '--decimal', 'point')
    return {
      ...ended,
      rows: readDatabase(folder.file(db), 'SELECT year FROM performance_year ORDER BY year'),
    }
  }
  const [fund] = isins

  it('may end with a delimiter that the header does not have', async () => {
    const { code, rows } = await imported('isin;year;percent', `${fund};2020;1.5;`, `${fund};2021;2.5; ;`)
    expect({ code, rows }).toEqual({ code: 0, rows: [{ year: 2020 }, { year: 2021 }] })
    const wrong = await imported('isin;year;percent', `${fund};2020;1.5;x`)
    expect(wrong.stdout).toContain('line 2: it has 4 cells, the header 3\n')
  })

  it('may have the header again, which is counted', async () => {
    const header = 'isin;year;percent'
    const { code, stdout, rows } = await imported(header, `${fund};2020;1.5`, header, `${fund};2021;2.5`)
    expect({ code, rows }).toEqual({ code: 0, rows: [{ year: 2020 }, { year: 2021 }] })
    expect(stdout).toContain('lines that repeat the header (1, the first: line 3)')
    expect((await imported(header, header)).stderr).toContain('has no line after its header')
  })
})

describe('lines at the end that are no rows', () => {
  const trailers = `isin;date;value\n${row}\nTRL;2\nEOF\n`

  it('are bad, with the flag that leaves them out', async () => {
    const { code, stdout } = await importText(trailers)
    expect(code).toBe(1)
    expect(stdout).toContain(
      'the bad lines are the last 2: if they are no rows, such as a total, --skip-last 2 leaves them out',
    )
    const total = await importText(`isin;date;value\n${row}\nSumme;;212,03\n`)
    expect(total.stdout).toContain('the bad line is the last one')
    expect(total.stdout).toContain('--skip-last 1 leaves it out')
  })

  it('are left out if asked, whatever their form, and the report says so', async () => {
    const { code, stdout, rows: found } = await importText(trailers, '--skip-last', '2')
    expect({ code, found: found() }).toEqual({ code: 0, found: rows })
    expect(stdout).toContain('lines at the end, as --skip-last says (2, the first: line 3)')
    expect(stdout).not.toContain('bad')
  })

  it('are no advice where a line between is bad, or where all are', async () => {
    const between = await importText(`isin;date;value\nx;y;z\n${row}\nEOF;;\n`)
    expect(between.code).toBe(1)
    expect(between.stdout).not.toContain('--skip-last')
    // With an ISIN, it is meant to be a row.
    const wrong = await importText(`isin;date;value\n${row}\n${isin};2024-02-30;1\n`)
    expect(wrong.code).toBe(1)
    expect(wrong.stdout).not.toContain('--skip-last')
  })

  it('take no row with them: a file that has no others is refused', async () => {
    const { code, stderr } = await importText(`isin;date;value\n${row}\n`, '--skip-last', '1')
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no line after its header') as string,
    })
  })
})
