import { expect, it } from 'vitest'
import { germanTextIn } from '../../../src/core/layout/formats.ts'

it.each([
  // As stored, in English, in German. A space that does not break is shown as _.
  ['1.234,56 %', '1,234.56%', '1.234,56_%'],
  ['-2,77 %', '−2.77%', '−2,77_%'],
  ['+0,5%', '+0.5%', '+0,5_%'],
  ['0.40', '0.40', '0,40'],
  ['1.234', '1,234', '1.234'],
  ['1.234.567,8 Mio. EUR', '1,234,567.8_Mio. EUR', '1.234.567,8_Mio. EUR'],
  ['0.125', '0.125', '0,125'],
  ['44', '44', '44'],
  ['2027', '2027', '2027'],
  ['1,5-2,5 Jahre', '1.5-2.5_Jahre', '1,5-2,5_Jahre'],
  ['31.12.2026', '31_Dec_2026', '31.12.2026'],
  ['am 1.3.2027', 'am 1_Mar_2027', 'am 01.03.2027'],
  ['99.99.2026', '99.99.2026', '99.99.2026'],
  ['(0,3 %)', '(0.3%)', '(0,3_%)'],
  ['2,5 \u2030', '2.5\u2030', '2,5_\u2030'],
  ['BBB+', 'BBB+', 'BBB+'],
  ['A1,2', 'A1,2', 'A1,2'],
  ['1,2,3', '1,2,3', '1,2,3'],
  ['', '', ''],
])('shows a figure that is stored as %j in the form of the language', (stored, english, german) => {
  const shown = (['en', 'de'] as const).map((language) => germanTextIn(language, stored))
  expect(shown.map((text) => text.replaceAll('\u00a0', '_'))).toEqual([english, german])
})
