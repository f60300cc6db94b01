/**
 * `fundsxml.xml`: all funds for portals and distributors, in the exchange format of fund companies. Each fund is a single fund with one
 * share class. Source: the schema of FundsXML 4.2 (github.com/fundsxml/schema).
 */

import Database from 'better-sqlite3'
import { xmlDeclaration, xmlElement, xmlText } from '../../../core/api/encode/xml.ts'
import { fileSink } from '../../../core/snapshot/file-sink.ts'
import { documentsOf, exchangeFund, exchangePiece } from './exchange.ts'
import { type FormatWork, type FundTables, inBoth, readFunds, type RowsFormat } from './format.ts'

const path = 'fundsxml.xml'

/** That of the schema which tests compare the file with. */
const version = '4.2.11'

export const fundsxml: RowsFormat = {
  id: 'fundsxml',
  kind: 'rows',
  name: 'xml',
  mediatype: 'application/xml',
  label: inBoth('FundsXML'),
  advice: {
    en:
      'FundsXML 4.2, each fund as a share class: for portals and distributors. Without EMT data: FundsXML demands far ' +
      'more fields of the template than these data have. They are files of their own, under “EMT data”.',
    de:
      'FundsXML 4.2, jeder Fonds als Anteilklasse: für Portale und Vertriebspartner. Ohne EMT-Daten: FundsXML verlangt ' +
      'weit mehr Felder des Templates, als diese Daten haben. Sie stehen in eigenen Dateien unter „EMT-Daten“.',
  },
  isStamped: true,
  pieces: (funds) => [exchangePiece(path, funds)],
  open: (work) => {
    const sink = fileSink(work.folder, path)
    sink.write(`${xmlDeclaration}<FundsXML4>\n${controlData(work)}\n`)
    const list = (name: string) => {
      let isOpen = false
      return {
        // The schema has no empty lists.
        add: (element: string) => {
          sink.write(isOpen ? `${element}\n` : `<${name}>\n${element}\n`)
          isOpen = true
        },
        close: () => {
          if (isOpen) sink.write(`</${name}>\n`)
        },
      }
    }
    const funds = list('Funds')
    return {
      add: (fund) => {
        funds.add(fundElement(fund))
      },
      close: () => {
        funds.close()
        writeDocuments(work, list('Documents'))
        sink.write('</FundsXML4>\n')
        return [{ ...sink.close(), piece: path }]
      },
    }
  },
}

/** Documents stand behind all funds: they are read then, so that they need not wait in memory. */
function writeDocuments(
  { copy, funds }: FormatWork,
  list: Readonly<Record<'close', () => void>> & { readonly add: (element: string) => void },
): void {
  const db = new Database(copy, { readonly: true })
  try {
    for (const fund of readFunds(db, funds))
      for (const document of documentsOf(fund)) list.add(documentElement(document))
    list.close()
  } finally {
    db.close()
  }
}

type Text = string | null | undefined

/** Elements in the order of the schema; those without a content are left out. */
const elements = (contents: Readonly<Record<string, Text>>): string =>
  Object.entries(contents)
    .map(([name, content]) => (content ? xmlElement(name, content) : ''))
    .join('')

const text = (value: Text): string => xmlText(value ?? '')

/** @param most characters, not UTF-16 units */
const cut = (value: Text, most: number): string =>
  text(
    Array.from(value ?? '')
      .slice(0, most)
      .join(''),
  )

/** Where no setting says of which country the publisher is. Source: ISO 3166, codes for users' own purposes. */
const noCountry = 'ZZ'

const controlData = ({ asOf, snapshot, publisher, country }: FormatWork): string =>
  xmlElement(
    'ControlData',
    elements({
      UniqueDocumentID: text(snapshot),
      DocumentGenerated: `${asOf}T00:00:00Z`,
      Version: version,
      ContentDate: asOf,
      DataSupplier: elements({
        SystemCountry: country ?? noCountry,
        Short: cut(publisher, 64),
        Name: cut(publisher, 256),
        Type: 'Publisher',
      }),
      DataOperation: 'INITIAL',
    }),
  )

function fundElement(rows: FundTables): string {
  const { fund, price, distributions } = exchangeFund(rows)
  const { isin, wkn, name, currency, end_date: end, end_reason: reason } = fund
  const Names = elements({ OfficialName: cut(name, 500) })
  const isClosed = reason === 'liquidated' || reason === 'merged'
  const shareClass = elements({
    Identifiers: elements({ ISIN: isin, GermanWKN: wkn?.length === 6 ? text(wkn) : null }),
    Names,
    Currency: currency,
    InceptionDate: fund['fund_inception_date'],
    LiquidationDate: isClosed ? end : null,
    LiquidationReason: reason === 'merged' ? 'MERGER' : null,
    Prices: price === undefined ? null : priceElement(price),
    Distributions: distributions.map(distributionElement).join(''),
  })
  return (
    // A fund has identifiers, of which none is known here.
    `<Fund><Identifiers/>` +
    elements({
      Names,
      Currency: currency,
      SingleFundFlag: 'true',
      FundStaticData:
        reason === 'matured'
          ? elements({ UnlistedLegalStructure: 'Investment fund', MaturityDate: end })
          : null,
      SingleFund: xmlElement('ShareClasses', xmlElement('ShareClass', shareClass)),
    }) +
    '</Fund>'
  )
}

function priceElement(price: Readonly<Record<string, Text>>): string {
  const { net_asset_value: nav, issue_price: issue, repurchase_price: repurchase } = price
  if (![nav, issue, repurchase].every(fits)) return ''
  return xmlElement(
    'Price',
    elements({
      ActionCode: 'C',
      NavDate: price['date'],
      PriceCurrency: price['currency'],
      PriceNature: 'OFFICIAL',
      NavPrice: nav,
      SubscriptionPrice: issue,
      RedemptionPrice: repurchase,
    }),
  )
}

/** An amount of the schema has at most 15 digits, 8 of them after the point. Zeros at the ends do not count. */
function fits(amount: Text): boolean {
  const [whole = '', fraction = ''] = (amount ?? '').replace(/^-?0*/, '').split('.')
  const places = Array.from(fraction).findLastIndex((digit) => digit !== '0') + 1
  return places <= 8 && whole.length + places <= 15
}

/** The schema demands facts that the database does not have: this says what stands there in their place. */
const comments = 'PaymentDate repeats ExDate, and NetDividendAmount the gross amount: neither is known here.'

function distributionElement(distribution: Readonly<Record<string, Text>>): string {
  const { ex_date: exDate, amount, currency } = distribution
  if (!fits(amount)) return ''
  const perShare = xmlElement('PerShare', `<Amount ccy="${text(currency)}">${text(amount)}</Amount>`)
  return xmlElement(
    'Distribution',
    elements({
      ActionCode: 'C',
      DividendStatus: 'OFFICIAL',
      ExDate: exDate,
      PaymentDate: exDate,
      PaymentCurrency: currency,
      GrossDividendAmount: perShare,
      NetDividendAmount: perShare,
      Comments: comments,
    }),
  )
}

const documentTypes: Readonly<Record<string, string>> = {
  kid: 'PRIIPS-KID',
  prospectus: 'Prospectus',
  annual_report: 'AnnualReport',
  half_year_report: 'HalfYearReport',
  factsheet: 'Factsheet',
}

function documentElement(document: Readonly<Record<string, Text>>): string {
  const { isin, kind, language, country, date, title, url } = document
  const shareClass = xmlElement('Identifiers', elements({ ISIN: isin }))
  return xmlElement(
    'Document',
    elements({
      Type: elements({ ListedType: documentTypes[kind ?? ''] }),
      Language: language,
      PublicationCountries: elements({ Country: country }),
      ShareClasses: xmlElement('ShareClass', shareClass),
      Name: cut(title, 256),
      ForPublicUsage: 'true',
      Format: formatOf(url ?? ''),
      CreationDate: date,
      DocumentURL: text(escaped(url ?? '')),
    }),
  )
}

/** `PDF`, by the ending of the address: nothing is fetched. */
const formatOf = (url: string): string =>
  /^[^?#]+\/[^?#/]*\.([A-Za-z0-9]{2,5})(?:[?#]|$)/.exec(url)?.[1]?.toUpperCase() ?? 'unknown'

/** Characters that no URI has, as xs:anyURI demands. Source: RFC 3986. */
const escaped = (url: string): string => url.replace(/[^\x21-\x7e]|[<>"{}|\\^`]/gu, encodeURIComponent)
