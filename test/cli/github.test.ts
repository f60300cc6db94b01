/** What GitHub shows of a run: texts that no name of a fund can break out of. */
import { expect, it } from 'vitest'
import { describeRefusal } from '../../src/extensions/github/report.ts'
import { annotationLines } from '../../src/extensions/github/workflow.ts'

it('the table of a refusal has figures, cannot be broken by texts, and ends after 50 rows', () => {
  const figures = { before: 1500, after: '498', limit: 1 }
  const hostile = { guard: 'price-jump', subject: 'DE0008471400', message: '`a` | @all\n<b>' } as const
  const text = describeRefusal([{ guard: 'lost-funds', subject: null, message: 'gone', figures }, hostile])
  expect(text).toContain('| `lost-funds` |  | `1,500` | `498` | `1` | `gone` |\n')
  expect(text).toContain('| `price-jump` | `DE0008471400` |  |  |  | `a \\| @all\\u000a<b>` |\n')
  expect(text).toContain('--allow lost-funds,price-jump:DE0008471400 --reason')
  const many = describeRefusal(
    Array.from({ length: 60 }, (_, index) => ({ ...hostile, subject: `DE${index}` })),
  )
  expect(many.match(/^\| `price-jump/gm)).toHaveLength(50)
  expect(many).toContain('| and 10 more |\n')
  expect(many).toContain('fundpress nightly … --allow price-jump --reason')
})

it('annotates nine warnings and a count, and escapes their texts', () => {
  const warnings = Array.from({ length: 12 }, (_, index) => ({
    title: 'a:b,c',
    message: `${index}%\r\n::error::x`,
  }))
  const lines = annotationLines(warnings, 'all').trimEnd().split('\n')
  expect(lines).toHaveLength(10)
  expect(lines[0]).toBe('::warning title=a%3Ab%2Cc::0%25\\u000d\\u000a::error::x')
  expect(lines[9]).toBe('::warning title=all::3 more warnings: see the log')
})
