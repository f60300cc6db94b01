import { expect, it } from 'vitest'
import {
  day,
  decimal,
  item,
  list,
  optional,
  record,
  text,
  textAmong,
} from '../../../src/core/api/contract/shape.ts'
import { csvEncoder } from '../../../src/core/api/encode/csv.ts'

const row = record({
  date: day('Day', 'Tag'),
  price: item('Preis', 'Price', 'Preis', ','),
  performance: record({ name: text('Name'), value: decimal('Percent', 'Prozent', ',') }),
  tax: optional(item('Steuer', 'Tax', 'Steuer', ',')),
})
const currency = textAmong('Currency', 'Währung', ['EUR', 'USD'])
const body = record({ fund: text('Fund'), rows: list(row), currency })
const csv = csvEncoder(body, { records: 'rows', then: ['currency'] })
const rows = [
  { date: '2024-12-30', price: '1234,50', performance: { name: 'a,"b"', value: '-0,10' } },
  { date: '2024-12-31', price: '7', performance: { name: '', value: '0' }, tax: '1,5' },
]
const value = { fund: 'A, "B"\r\n', rows, currency: 'EUR' }

it('writes a header, a line for each record, decimals with a point, and empty cells', () => {
  expect(csv.document(value)).toBe(
    'date,price,performance,tax,currency\r\n2024-12-30,1234.50,-0.10,,EUR\r\n2024-12-31,7,0,1.5,EUR\r\n',
  )
  expect(csv.document({ ...value, rows: [] })).toBe('date,price,performance,tax,currency\r\n')
})

it('writes a series of the same bytes', () => {
  const { head, separator, record: textOf, tail } = csv.series(value)
  expect(head + rows.map(textOf).join(separator) + tail).toBe(csv.document(value))
})

it('writes the lines of a fund with its ISIN first', () => {
  const { head, tail, empty } = csv.byIsin
  expect(empty).toBe('isin,date,price,performance,tax,currency\r\n')
  expect(head + csv.member('DE0008471400', value) + tail).toBe(
    `${empty}DE0008471400,2024-12-30,1234.50,-0.10,,EUR\r\nDE0008471400,2024-12-31,7,0,1.5,EUR\r\n`,
  )
})

it.each([
  [
    'any text, which may need quotation marks',
    { records: 'rows', then: ['fund'] },
    'fund is no single value',
  ],
  ['a field that is not there', { records: 'rows', then: ['nothing'] }, 'nothing is no single value'],
  ['records that are none', { records: 'currency', then: [] }, 'currency is neither a record nor a list'],
])('refuses to declare CSV of %s', (_, lines, message) => {
  expect(() => csvEncoder(body, lines)).toThrow(message)
})
