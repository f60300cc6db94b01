/**
 * The tables of the fund database and their columns. Everything that treats the columns of a table alike derives from here:
 * the SELECTs, the checks, the import and the downloads. `templates/schema.sql` is the contract with those who fill the
 * database and says the same in SQL; a test compares the two.
 */

import type { Texts } from '../../api/contract/shape.ts'
import { basicFund } from '../../api/contract/fund.ts'
import { historicPriceRecord } from '../../api/contract/prices.ts'
import {
  documentKinds,
  endReasons,
  type FundRow,
  type FundRows,
  type Group,
} from '../../api/contract/rows.ts'
import { emtRecord } from '../../api/endpoints/emt.ts'
import { profileRecord } from '../../api/endpoints/profile.ts'
import { columnBuilders, type SchemaTable, tableOfRows as table } from './columns.ts'

const { column, text, textAmong, day, pastDay, decimal, number, share, integer, flag, control } =
  columnBuilders
const {
  performance,
  yearlyCosts,
  fee,
  chargedFee,
  cost,
  signedCost,
  orNull,
  comesAndGoes,
  instead,
  inBoth,
  inBothOrNull,
  possibility,
} = columnBuilders

/** Words of a column in both languages. */
const say = (en: string, de: string): Texts => ({ en, de })

/** A figure of German tax law, which says nothing about its unit. */
const taxFigure = () => decimal(undefined, { money: 'taxFigure' })

/** The value of `PRAGMA user_version` in a database of this schema. */
export const SCHEMA_VERSION = 1

type RowOf<G extends Group> = FundRows[G][number]

const pastOfEmt = (describe: Texts, template: string) => day(describe, { template, afterAsOf: 'warning' })

/** The tables by the groups of rows that they hold, in the order of the downloads; `fund` is what the others refer to. */
export const schemaTables: Readonly<Record<'fund' | Group, SchemaTable>> = {
  fund: table<FundRow>({
    name: 'fund',
    key: [],
    download: 'funds',
    needs: 'data',
    en: 'All funds whose data may be published',
    de: 'Alle Fonds, deren Daten veröffentlicht werden dürfen',
    published: basicFund.fields,
    columns: {
      wkn: orNull(column<string>('wkn')()),
      name: text(),
      inceptionDate: day(undefined, { name: 'fund_inception_date', yearsAhead: 1 }),
      statusDate: orNull(day(undefined, { afterAsOf: 'warning' })),
      // The rule of `webAddress`: LIKE does not tell upper from lower case.
      // What is built reads no NULL: see `derive/copy.ts`.
      url: text(
        say(
          'Address of the web page about the fund; empty unless it begins with http:// or https://',
          'Adresse der Webseite zum Fonds; leer, wenn sie nicht mit http:// oder https:// beginnt',
        ),
        {
          isNullable: true,
          download: instead("iif(t.url LIKE 'http://_%' OR t.url LIKE 'https://_%', t.url, '')", false),
        },
      ),
      currency: column<string>('currency')(
        say(
          'Currency of the fund and of its prices, ISO 4217',
          'Währung des Fonds und seiner Preise, ISO 4217',
        ),
      ),
      dataPermitted: control,
      pricesPermitted: control,
      performancePermitted: control,
      endDate: orNull(
        day(
          say(
            'Last day of the life of the fund; empty while none is known, or if distributions has its merger',
            'Letzter Tag der Laufzeit des Fonds; leer, solange keiner bekannt ist oder wenn distributions seine Verschmelzung enthält',
          ),
          { mayBeOpen: true },
        ),
      ),
      endReason: orNull(
        column<NonNullable<FundRow['endReason']>>('text')(
          say(
            'Why the fund ends: liquidated, matured or merged',
            'Warum der Fonds endet: liquidated (aufgelöst), matured (Laufzeitende) oder merged (verschmolzen)',
          ),
          {
            allowed: endReasons,
          },
        ),
      ),
      suspendedFrom: comesAndGoes(
        day(
          say(
            'First day on which shares are neither issued nor redeemed; no price is expected',
            'Erster Tag, an dem Anteile weder ausgegeben noch zurückgenommen werden; es wird kein Preis erwartet',
          ),
        ),
      ),
      suspendedTo: comesAndGoes(
        day(
          say(
            'Last day of the suspension; empty until further notice',
            'Letzter Tag der Aussetzung; leer, wenn sie bis auf Weiteres gilt',
          ),
          { mayBeOpen: true },
        ),
      ),
    },
  }),
  prices: table<RowOf<'prices'>>({
    name: 'price',
    key: ['date'],
    download: 'prices',
    needs: 'prices',
    en: 'All prices of all funds, by fund and day',
    de: 'Alle Preise aller Fonds, nach Fonds und Tag',
    published: historicPriceRecord.fields,
    columns: {
      date: pastDay(),
      issuePrice: decimal(say('Issue price per share', 'Ausgabepreis je Anteil'), { money: 'amount' }),
      repurchasePrice: decimal(say('Repurchase price per share', 'Rücknahmepreis je Anteil'), {
        money: 'amount',
      }),
      netAssetValue: decimal(undefined, { money: 'amount' }),
      change: decimal(undefined, { money: 'amount' }),
      changePercent: decimal(undefined, { unit: 'percent' }),
      performance: orNull(decimal(undefined, { unit: 'percent' })),
      intercompanyProfit: orNull(taxFigure()),
      shareProfit: orNull(taxFigure()),
      realEstateProfits: orNull(taxFigure()),
      shareProfit2: orNull(taxFigure()),
    },
  }),
  corporateActions: table<RowOf<'corporateActions'>>({
    name: 'corporate_action',
    // Payments of one day are one: more of them would tell prices nothing.
    key: ['ex_date', 'kind'],
    outlives: ['kind', 'merger'],
    download: 'distributions',
    needs: 'prices',
    en: 'Distributions, splits and mergers of all funds',
    de: 'Ausschüttungen, Anteilsplits und Verschmelzungen aller Fonds',
    columns: {
      exDate: day(
        say(
          'The first day whose net asset value shows it; of a merger, the day on which the fund ends',
          'Erster Tag, dessen Nettoinventarwert sie zeigt (Ex-Tag); bei einer Verschmelzung der Tag, an dem der Fonds endet',
        ),
        { isSinceInception: true },
      ),
      kind: column<RowOf<'corporateActions'>['kind']>('text')(
        say(
          'What happens',
          'Art der Maßnahme: distribution (Ausschüttung), split (Anteilsplit) oder merger (Verschmelzung)',
        ),
        {
          allowed: ['distribution', 'split', 'merger'],
        },
      ),
      amount: orNull(
        decimal(
          say(
            'Distribution: amount per share, as shares are on the ex-date',
            'Ausschüttung: Betrag je Anteil nach dem Stand am Ex-Tag',
          ),
          { money: 'amount' },
        ),
      ),
      currency: orNull(
        column<string>('currency')(
          say(
            'Distribution: currency of the amount, ISO 4217',
            'Ausschüttung: Währung des Betrags, ISO 4217',
          ),
        ),
      ),
      factor: orNull(decimal(say('Split: new shares for an old one', 'Split: neue Anteile für einen alten'))),
      successorIsin: orNull(
        column<string>('isin')(
          say(
            'Merger: ISIN of the fund whose shares investors receive',
            'Verschmelzung: ISIN des Fonds, dessen Anteile die Anleger erhalten',
          ),
        ),
      ),
    },
  }),
  documents: table<RowOf<'documents'>>({
    name: 'document',
    key: ['kind', 'language', 'date', 'country'],
    download: 'documents',
    needs: 'data',
    en: 'Documents about the funds, such as key information documents and reports',
    de: 'Dokumente zu den Fonds, etwa Basisinformationsblätter und Berichte',
    columns: {
      kind: column<RowOf<'documents'>['kind']>('text')(say('Kind of the document', 'Art des Dokuments'), {
        allowed: documentKinds,
      }),
      language: column<string>('language')(
        say('Language of the document, ISO 639-1', 'Sprache des Dokuments, ISO 639-1'),
      ),
      date: day(
        say(
          'Day of the document; of a report, the end of its period',
          'Tag des Dokuments; bei einem Bericht das Ende seines Zeitraums',
        ),
        { afterAsOf: 'warning' },
      ),
      country: column<string>('country')(
        say(
          'Country that the document is for, ISO 3166-1; empty for all of them',
          'Land, für das das Dokument bestimmt ist, ISO 3166-1; leer für alle Länder',
        ),
        {
          hasDefault: true,
        },
      ),
      title: text(say('Title of the document', 'Titel des Dokuments')),
      url: column<string>('address')(say('Address of the document', 'Adresse des Dokuments')),
    },
  }),
  performanceYears: table<RowOf<'performanceYears'>>({
    name: 'performance_year',
    key: ['year'],
    download: 'performance_years',
    needs: 'performance',
    en: 'Performance per calendar year, only for funds that are at least one year old',
    de: 'Wertentwicklung je Kalenderjahr, nur für Fonds, die mindestens ein Jahr alt sind',
    columns: {
      year: column<number>('year')(say('Calendar year', 'Kalenderjahr'), {
        afterAsOf: 'error',
        isSinceInception: true,
      }),
      percent: performance(
        say('Performance in that year, in percent', 'Wertentwicklung in diesem Jahr in Prozent'),
      ),
    },
  }),
  legalPeriods: table<RowOf<'legalPeriods'>>({
    name: 'legal_period',
    key: ['label'],
    download: 'performance_periods',
    needs: 'performance',
    en: 'Performance in twelve-month periods, gross and net, only for funds that are at least one year old',
    de: 'Wertentwicklung in Zwölfmonatszeiträumen, brutto und netto, nur für Fonds, die mindestens ein Jahr alt sind',
    columns: {
      label: text(say('Label of the period', 'Bezeichnung des Zeitraums')),
      dateFrom: day(say('Start of the period', 'Beginn des Zeitraums')),
      dateRealfrom: day(say('Actual start of the period', 'Tatsächlicher Beginn des Zeitraums'), {
        isSinceInception: true,
      }),
      dateTo: day(say('End of the period', 'Ende des Zeitraums'), { afterAsOf: 'warning' }),
      gross: orNull(
        performance(
          say(
            'Gross performance in the period in percent, without the issue surcharge',
            'Bruttowertentwicklung im Zeitraum in Prozent, ohne Ausgabeaufschlag',
          ),
        ),
      ),
      net: orNull(
        performance(
          say(
            'Net performance in the period in percent, after deduction of the issue surcharge',
            'Nettowertentwicklung im Zeitraum in Prozent, nach Abzug des Ausgabeaufschlags',
          ),
        ),
      ),
    },
  }),
  legalPoints: table<RowOf<'legalPoints'>>({
    name: 'legal_point',
    key: ['date'],
    download: 'performance_line',
    needs: 'performance',
    en: 'Cumulative performance in percent over the twelve-month periods, only for funds that are at least one year old',
    de: 'Kumulierte Wertentwicklung in Prozent über die Zwölfmonatszeiträume, nur für Fonds, die mindestens ein Jahr alt sind',
    columns: {
      date: pastDay(say('Day of the point', 'Tag des Punktes')),
      value: number(say('Cumulative performance in percent', 'Kumulierte Wertentwicklung in Prozent'), {
        least: -100,
        unit: 'percent',
      }),
    },
  }),
  launchPoints: table<RowOf<'launchPoints'>>({
    name: 'launch_point',
    key: ['date'],
    download: 'performance_launch',
    needs: 'performance',
    en: 'Performance since launch as an index that starts at 100, only for funds that are at least one year old',
    de: 'Wertentwicklung seit Auflegung als Index mit dem Anfangswert 100, nur für Fonds, die mindestens ein Jahr alt sind',
    columns: {
      date: pastDay(say('Day of the point', 'Tag des Punktes')),
      value: number(say('Index value', 'Indexwert'), { least: 0 }),
    },
  }),
  structureItems: table<RowOf<'structureItems'>>({
    name: 'structure_item',
    key: ['type', 'position'],
    download: 'structures',
    needs: 'data',
    en: 'Investment structures: breakdown of each fund by country, industry and other criteria',
    de: 'Anlagestruktur: Aufteilung jedes Fonds nach Ländern, Branchen und weiteren Merkmalen',
    columns: {
      type: column<string>('structureType')(
        say('Type of the structure, as in the path of the API', 'Art der Struktur, wie im Pfad der API'),
      ),
      position: integer(
        say('Position of the item in its structure', 'Position des Eintrags in seiner Struktur'),
      ),
      ...inBoth('name', say('Name of the item', 'Name des Eintrags')),
      percent: share(
        say(
          'Share in the fund in percent; for the type correlation, the correlation coefficient. Can be negative',
          'Anteil am Fonds in Prozent; bei der Art correlation der Korrelationskoeffizient. Kann negativ sein',
        ),
      ),
    },
  }),
  assetAllocations: table<RowOf<'assetAllocations'>>({
    name: 'asset_allocation',
    key: ['derivatives', 'position', 'date'],
    download: 'allocations',
    needs: 'data',
    en: 'Asset allocations over time',
    de: 'Vermögensaufteilung im Zeitverlauf',
    columns: {
      derivatives: flag(say('Whether derivatives are included', 'Ob Derivate berücksichtigt sind')),
      position: integer(say('Position of the asset class', 'Position der Anlageklasse')),
      ...inBoth('class', say('Name of the asset class', 'Name der Anlageklasse')),
      date: pastDay(say('Day of the allocation', 'Tag der Aufteilung')),
      percent: share(
        say(
          'Share of the asset class in the fund on that day, in percent',
          'Anteil der Anlageklasse am Fonds an diesem Tag in Prozent',
        ),
      ),
    },
  }),
  keyFigures: table<RowOf<'keyFigures'>>({
    name: 'key_figure',
    key: ['position'],
    download: 'key_figures',
    needs: 'data',
    en: 'Key figures: each value as text, numbers also as numbers',
    de: 'Kennzahlen: jeder Wert als Text, Zahlen zusätzlich als Zahl',
    columns: {
      position: integer(say('Position of the key figure', 'Position der Kennzahl')),
      ...inBoth('name', say('Name of the key figure', 'Name der Kennzahl')),
      value: text(
        say(
          'Value as text; may contain a percent sign and a decimal comma',
          'Wert als Text; kann ein Prozentzeichen und ein Dezimalkomma enthalten',
        ),
      ),
      value2: orNull(
        text(say('Second value', 'Zweiter Wert'), {
          download: instead('iif(t.has_value2 = 1, t.value2, NULL)', true),
        }),
      ),
      hasValue2: control,
    },
  }),
  profile: table<RowOf<'profile'>>({
    name: 'profile',
    key: [],
    download: 'profiles',
    needs: 'data',
    en: 'Profile of each fund: category, benchmark, fund assets, costs and ways to invest',
    de: 'Profil jedes Fonds: Kategorie, Vergleichsindex, Fondsvermögen, Kosten und Anlageformen',
    published: profileRecord.fields,
    columns: {
      ...inBothOrNull('category', say('Category of the fund', 'Kategorie des Fonds')),
      benchmark: orNull(text()),
      fundAssets: orNull(
        decimal(
          say(
            'Fund assets of the share class, in the currency of the fund',
            'Fondsvermögen der Anteilklasse in der Währung des Fonds',
          ),
          {
            usual: [0.01, Infinity],
            addsUp: true,
          },
        ),
      ),
      totalFundAssets: decimal(say('Fund assets of all share classes', 'Fondsvermögen aller Anteilklassen'), {
        // Less is most likely in thousands or millions.
        usual: [100_000, Infinity],
      }),
      totalFundAssetsCurrency: orNull(
        column<string>('currency')(
          say(
            'Currency of total_fund_assets, ISO 4217; empty if it is that of the fund',
            'Währung von total_fund_assets, ISO 4217; leer, wenn sie die des Fonds ist',
          ),
        ),
      ),
      endOfFiscalYear: column<string>('dayOfYear')(
        say('End of the fiscal year, MM-DD', 'Ende des Geschäftsjahres, MM-TT'),
      ),
      accumulating: flag(
        say(
          'Whether the fund accumulates its income instead of distributing it',
          'Ob der Fonds seine Erträge thesauriert, statt sie auszuschütten',
        ),
      ),
      conformity: orNull(flag()),
      issueSurcharge: chargedFee(),
      redemptionFee: chargedFee(),
      totalExpenseRatio: yearlyCosts(undefined, { usual: [0.05, 15] }),
      // Funds that follow an index have less than 0.1 %.
      managementFee: fee(undefined, { usual: [0.05, Infinity], isUsuallyZero: true }),
      // Some have a hundredth of a percent.
      custodianBankFee: orNull(fee(undefined, { usual: [0, Infinity] })),
      performanceFee: flag(),
      ...possibility('savingsPlan', say('Savings plan', 'Sparplan')),
      ...possibility('oneTimeInvestment', say('Lump-sum investment', 'Einmalanlage')),
      ...possibility(
        'capitalFormingPayments',
        say('Capital-forming payments', 'Vermögenswirksame Leistungen'),
      ),
    },
  }),
  emt: table<RowOf<'emt'>>({
    name: 'emt',
    key: [],
    download: 'emt',
    // A file emt.csv would be taken for one of the template, whose fields have other names.
    csvName: 'emt_data',
    needs: 'data',
    en: 'EMT data (European MiFID Template) with the field names of the API',
    de: 'EMT-Daten (European MiFID Template) mit den Feldnamen der API',
    published: emtRecord.fields,
    columns: {
      srri: orNull(integer(undefined, { template: '04020', allowed: [1, 2, 3, 4, 5, 6, 7] })),
      // The template dates the costs ex ante as a whole, and those ex post by the end of their period.
      ongoingCostsDate: orNull(
        pastOfEmt(
          say(
            'End of the reference period of ongoing_costs (EMT 08100)',
            'Ende des Bezugszeitraums von ongoing_costs (EMT 08100)',
          ),
          '08100',
        ),
      ),
      ongoingCosts: cost('08030'),
      transactionCostsDate: orNull(
        pastOfEmt(
          say(
            'Reference date of transaction_costs (EMT 07160)',
            'Stichtag von transaction_costs (EMT 07160)',
          ),
          '07160',
        ),
      ),
      transactionCosts: signedCost('07130'),
      incidentalCostsDate: orNull(
        pastOfEmt(
          say('Reference date of incidental_costs (EMT 07160)', 'Stichtag von incidental_costs (EMT 07160)'),
          '07160',
        ),
      ),
      incidentalCosts: cost('07140'),
      entryCosts: cost('08025'),
      governanceprocess: orNull(textAmong('00075', ['A', 'B', 'C', 'D'])),
      compatibleForClientsWithEsgPreferences: orNull(textAmong('05105', ['Y', 'N', 'Neutral'])),
      otherSpecificInvestmentNeed: orNull(textAmong('05115', ['N', 'I', 'O'])),
    },
  }),
}

export const groupNames = Object.keys(schemaTables).filter((name): name is Group => name !== 'fund')

export const schemaTableNames: readonly string[] = Object.values(schemaTables).map(({ name }) => name)
