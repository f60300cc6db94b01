/** `fundpress show`: a fund in the terminal. */

import { Argument } from 'commander'
import { languages } from '../../api/routes/table.ts'
import {
  documentsInDatabase,
  documentsInFolder,
  type FundDocuments,
  fundSummary,
  type FundSummary,
} from '../../build/fund-view.ts'
import { freshnessRules } from '../from-settings.ts'
import { defineCommand } from '../command.ts'
import { nearest } from '../failure.ts'
import { describeSummary, shorten } from '../format.ts'
import { asOfOption, choiceOption } from '../options.ts'
import type { Paint, Terminal } from '../terminal.ts'
import { printable, quoted } from '../../data/model/printable.ts'
import { businessDays } from '../../guards/assess.ts'
import { searchKey } from '../../site/funds/chart/formats.ts'
import { statusWords } from '../../site/status/wording.ts'

export default defineCommand({
  description:
    'Shows a fund with its newest price, the age of that, and a chart of the last twelve months: as a snapshot ' +
    'publishes it, or with --db as a build would. It hides what must not be published.',
  arguments: [new Argument('<fund>', 'An ISIN, or a part of the name')],
  settings: ['out', 'db'],
  options: [
    choiceOption('--language <language>', 'The language of texts', languages).default('en'),
    asOfOption('With --db: the date for the age of the fund and of its newest price (default: today)'),
  ],
  json: 'Print the figures as JSON',
  examples: [
    ['show DE000FP06UX9', 'As the snapshot in out has it'],
    ['show DE000FP06UX9 --db funds.sqlite', 'As the database would give it'],
    ['show "aktien europa" --language de', 'By a part of the name'],
  ],
  run: async (session, { asOf = session.today, language = 'en' }, fund: string) => {
    const { settings, stdout, hasFlag, print } = session
    const documents =
      settings.db === null || !hasFlag('db')
        ? await documentsInFolder(settings.out)
        : documentsInDatabase(settings.db, asOf, await freshnessRules(settings))
    try {
      const summary = fundSummary(documents, findFund(documents, fund), language)
      print(summary, () => describe(summary, stdout))
    } finally {
      documents.close()
    }
  },
})

/** @throws {Error} that names similar funds */
function findFund({ place, isins, names }: FundDocuments, word: string): string {
  const isin = word.toUpperCase()
  if (isins.includes(isin)) return isin
  const parts = searchKey(word).split(/\s+/)
  const found = [...names].filter(([, name]) => parts.every((part) => searchKey(name).includes(part)))
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only[0]
  const near = nearest(isin, isins)
  const candidates = only === undefined ? (near === undefined ? [] : [near]) : found.map(([one]) => one)
  const shown = candidates.slice(0, 5).map((one) => `${one} ${printable(names.get(one) ?? '')}`.trim())
  const named = shown.join(', ')
  const more = candidates.length > 5 ? ` and ${candidates.length - 5} more` : ''
  const advice = named === '' ? `it has ${isins.length} funds` : `did you mean ${named}${more}?`
  const what = only === undefined ? 'there is no fund' : 'there is more than one fund'
  throw new Error(`${place}: ${what} ${quoted(word)} (${advice})`)
}

function describe(fund: FundSummary, { columns, paint }: Terminal): string {
  const { isin, wkn, name, category, price } = fund
  if (name === null) return `${isin}: nothing about this fund is published\n`
  // A wider line shows nothing more.
  const width = Math.max(20, Math.min(80, columns() - 1))
  const change = (percent: string) => {
    const value = Number(percent)
    const text = `${value > 0 ? '+' : ''}${percent} %`
    return value === 0 ? text : paint(value > 0 ? 'green' : 'red', text)
  }
  const identity = [isin, wkn, category].filter((part) => part !== null).map(printable)
  const lines = [paint('bold', shorten(printable(name), width)), shorten(identity.join(', '), width), '']
  if (price === null) lines.push('no price is published')
  else {
    const { changePercent, age } = price
    const since = changePercent === null ? '' : `, ${change(changePercent)}`
    const value = paint('bold', `${price.netAssetValue} ${printable(price.currency)}`)
    lines.push(`${value} on ${price.date}${since}`)
    if (age !== null) {
      const { mark, ageDays, asOf } = age
      const text = `${statusWords.en.marks[mark]}: ${businessDays(ageDays)} before ${asOf}`
      lines.push(paint(mark === 'late' ? 'yellow' : mark === 'stale' ? 'red' : 'dim', text))
    }
    lines.push(...describeLastYear(fund, width, paint))
  }
  // The newest years that fit into a line: '2024 +13.56 %' and two spaces, after 'repurchase price  '.
  const years = fund.years.slice(-Math.max(1, Math.floor((width - 18) / 16)))
  const performances = years.map(({ year, percent }) => `${year} ${change(percent.toFixed(2))}`)
  const figures = describeSummary({
    'issue price': price?.issuePrice ?? null,
    'repurchase price': price?.repurchasePrice ?? null,
    'calendar years': performances.length === 0 ? null : performances.join('  '),
    'fund assets': fund.fundAssets === null ? null : printable(fund.fundAssets),
    'expense ratio': fund.totalExpenseRatio === null ? null : `${fund.totalExpenseRatio} %`,
    benchmark: fund.benchmark === null ? null : printable(fund.benchmark),
    inception: fund.inceptionDate,
  })
  return `${[...lines, ''].join('\n')}\n${figures}`
}

function describeLastYear({ lastYear: navs }: FundSummary, width: number, paint: Paint): readonly string[] {
  const [first, last] = [navs[0], navs.at(-1)]
  if (first === undefined || last === undefined || first === last) return []
  const numbers = navs.map(({ nav }) => Number(nav))
  const exact = (value: number) => navs.find(({ nav }) => Number(nav) === value)?.nav ?? ''
  const [low, high] = [exact(Math.min(...numbers)), exact(Math.max(...numbers))]
  const text = `since ${first.date}: from ${first.nav}, lowest ${low}, highest ${high}`
  const line = sparkline(numbers, Math.min(width, 60))
  return [
    paint(Number(last.nav) < Number(first.nav) ? 'red' : 'green', line),
    paint('dim', shorten(text, width)),
  ]
}

const blocks = '▁▂▃▄▅▆▇█'

/** Numbers as a row of blocks. @param width characters at most; one character shows the last of its numbers */
function sparkline(numbers: readonly number[], width: number): string {
  const count = Math.min(width, numbers.length)
  const last = (index: number) => Math.ceil(((index + 1) * numbers.length) / count) - 1
  const shown = Array.from({ length: count }, (_, index) => numbers[last(index)] ?? 0)
  const [low, high] = [Math.min(...shown), Math.max(...shown)]
  const level = (value: number) =>
    // Equal numbers are shown in the middle.
    high === low ? 3 : Math.round(((value - low) / (high - low)) * (blocks.length - 1))
  return shown.map((value) => blocks.charAt(level(value))).join('')
}
