/**
 * `openfunds.csv`: a line a fund for portals and distributors, with the fields of openfunds. Its first line has their OF-IDs, its second
 * one their names. Source: the field list of openfunds, version 1.28 (openfunds.org).
 */

import Database from 'better-sqlite3'
import { fractionOf, one, quotient, rounded } from '../../../core/data/derive/exact.ts'
import { fileSink } from '../../../core/snapshot/file-sink.ts'
import type { ColumnType, OutputCell } from '../tables.ts'
import { csvLine } from './csv.ts'
import { documentsOf, exchangeFund, exchangePiece } from './exchange.ts'
import { type FormatWork, type FundTables, inBoth, readFunds, type RowsFormat } from './format.ts'

const path = 'openfunds.csv'

export const openfunds: RowsFormat = {
  id: 'openfunds',
  kind: 'rows',
  name: 'csv',
  mediatype: 'text/csv',
  label: inBoth('openfunds'),
  advice: {
    en: 'CSV with the fields of openfunds, one line per fund, with its newest distribution, split and KID: for portals and distributors.',
    de: 'CSV mit den Feldern von openfunds, eine Zeile je Fonds, mit neuester Ausschüttung, neuestem Anteilsplit und neuestem KID: für Portale und Vertriebspartner.',
  },
  pieces: (funds) => [{ ...exchangePiece(path, funds), resource: { encoding: 'utf-8' } }],
  open: (work) => {
    const sink = fileSink(work.folder, path)
    const fields = [...ofFund, ...kidFields(languagesOfKids(work))]
    const dialect = work.isRawCsv ? 'raw' : 'plain'
    const header = csvLine(
      fields.map(() => ({ type: 'text' })),
      dialect,
    )
    sink.write(header(fields.map(({ id }) => id)))
    sink.write(header(fields.map(({ name }) => name)))
    const line = csvLine(fields, dialect)
    return {
      add: (rows) => {
        const facts = factsOf(rows)
        sink.write(line(fields.map(({ value }) => value(facts) ?? null)))
      },
      close: () => [{ ...sink.close(), piece: path }],
    }
  },
}

interface Facts extends ReturnType<typeof exchangeFund> {
  /** The newest distribution. */
  readonly dividend: ReturnType<typeof exchangeFund>['distributions'][number] | undefined
  /** The KIDs for all countries, of the newest day that has one: the fields have one day for all languages, and no country. */
  readonly kids: ReturnType<typeof documentsOf>
}

function factsOf(rows: FundTables): Facts {
  const fund = exchangeFund(rows)
  const all = documentsOf(rows).filter(isKid)
  const newest = all.map(({ date }) => date ?? '').reduce((one, other) => (one > other ? one : other), '')
  return {
    ...fund,
    dividend: fund.distributions.at(-1),
    kids: all.filter(({ date }) => date === newest),
  }
}

const isKid = ({ kind, country }: Readonly<Record<string, string | null>>) => kind === 'kid' && country === ''

interface Field {
  readonly id: string
  readonly name: string
  readonly type: ColumnType
  readonly value: (facts: Facts) => OutputCell | undefined
}

const field = (id: string, name: string, type: ColumnType, value: Field['value']): Field => ({
  id,
  name,
  type,
  value,
})

/** Receivers keep what they have: openfunds cannot say what the database has. */
const ignore = '[IGNORE]'

/** An empty cell says that there is no value. */
const ofFund: readonly Field[] = [
  field('OFST020000', 'ISIN', 'text', ({ fund }) => fund['isin']),
  field('OFST020015', 'WKN', 'text', ({ fund }) => fund['wkn']),
  field('OFST020060', 'Full Share Class Name', 'text', ({ fund }) => fund['name']),
  field('OFST020540', 'Share Class Currency', 'text', ({ fund }) => fund['currency']),
  field('OFST020560', 'Share Class Launch Date', 'date', ({ fund }) => fund['fund_inception_date']),
  field('OFST020566', 'Termination Date', 'date', (facts) => endOf(facts, 'liquidated')),
  field('OFST020575', 'Absorbing Fund Share Class ISIN', 'text', ({ merger }) => merger?.['successor_isin']),
  field('OFEM000650', 'EMT Maturity Date', 'date', (facts) => endOf(facts, 'matured')),
  field('OFST023100', 'Investment Status', 'text', (facts) =>
    suspension(facts, 'closed for subscription and redemption'),
  ),
  field('OFST023110', 'Investment Status Date', 'date', (facts) =>
    suspension(facts, facts.fund['suspended_from']),
  ),
  field('OFDY000040', 'Transaction NAV', 'decimal', ({ price }) => price?.['net_asset_value']),
  field('OFDY000041', 'Transaction NAV Date', 'date', ({ price }) => price?.['date']),
  field('OFDY000025', 'Ask NAV', 'decimal', ({ price }) => price?.['issue_price']),
  field('OFDY000026', 'Ask NAV Date', 'date', ({ price }) => price?.['date']),
  field('OFDY000020', 'Bid NAV', 'decimal', ({ price }) => price?.['repurchase_price']),
  field('OFDY000021', 'Bid NAV Date', 'date', ({ price }) => price?.['date']),
  field('OFDY005000', 'Dividend Currency', 'text', ({ dividend }) => dividend?.['currency']),
  field('OFDY005010', 'Dividend Ex Date', 'date', ({ dividend }) => dividend?.['ex_date']),
  field('OFDY005020', 'Dividend Gross', 'decimal', ({ dividend }) => dividend?.['amount']),
  field('OFDY005030', 'Is Dividend Final', 'text', ({ dividend }) => dividend && 'yes'),
  field('OFDY005060', 'Split Reference Date', 'date', ({ split }) => split?.['ex_date']),
  field('OFDY005062', 'Split Ratio', 'decimal', ({ split }) => split && ratioOf(split['factor'] ?? '1')),
]

/** Most digits of a ratio: receivers need many to find the factor again. */
const ratioDigits = 15

/** openfunds counts old shares for a new one, the database new shares for an old one: three of these are 0.333333333333333. */
function ratioOf(factor: string): string {
  const ratio = rounded(quotient(one, fractionOf(factor)), ratioDigits)
  const last = Array.from(ratio).findLastIndex((digit) => digit !== '0')
  return ratio.slice(0, ratio[last] === '.' ? last : last + 1)
}

/** The merger is the end, if there is one. An end without a reason, or a merger without a successor, has no field. */
function endOf({ fund, merger }: Facts, reason: 'liquidated' | 'matured'): string | null | undefined {
  if (merger !== undefined) return reason === 'liquidated' ? merger['ex_date'] : null
  const { end_date: end = null, end_reason: own } = fund
  if (end === null || own === reason) return end
  return own === 'liquidated' || own === 'matured' ? null : ignore
}

/** A suspension whose last day is known has no fields: dormant classes are those without assets. */
function suspension({ fund }: Facts, value: OutputCell | undefined): OutputCell | undefined {
  const { suspended_from: from = null, suspended_to: to = null } = fund
  if (from === null) return null
  return to === null ? value : ignore
}

function languagesOfKids({ copy, funds }: FormatWork): readonly string[] {
  const found = new Set<string>()
  const db = new Database(copy, { readonly: true })
  try {
    for (const fund of readFunds(db, funds))
      for (const { language } of documentsOf(fund).filter(isKid)) found.add(language ?? '')
  } finally {
    db.close()
  }
  return [...found].sort()
}

const kidFields = (languages: readonly string[]): readonly Field[] => [
  field('OFEP000700', 'EPT PRIIPs KID Publication Date', 'date', ({ kids }) => kids[0]?.['date']),
  ...languages.map((own) =>
    field(
      `OFEP000750(${own})`,
      `EPT PRIIPs KID Web Address (${own})`,
      'text',
      ({ kids }) => kids.find(({ language }) => language === own)?.['url'],
    ),
  ),
]
