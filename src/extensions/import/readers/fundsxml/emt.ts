/** The European MiFID Template within FundsXML (EMT V4, V4.1, V4.2 and V4.3). Its costs are fractions, as those of the schema. */

import type { Value } from '../../values.ts'
import type { RowSink } from '../reader.ts'
import type { Spill } from './spill.ts'
import { day, decimal, leaves, linesOf, number, present, type Texts } from './texts.ts'
import type { Element, Elements, Found } from './xml.ts'

const isinSystem = '1'

/** The elements of RegulatoryReportings/DirectReporting. */
export function reportingElements(sink: RowSink, spill: Spill): Elements {
  const instrument = (record: Found): void => {
    const { texts, place } = record
    const isins = texts['CodificationSystem'] === isinSystem ? linesOf(texts['Code']) : linesOf(texts['ISIN'])
    if (isins.length === 0) sink.leftOut('an instrument of the EMT that is not named by its ISIN', place)
    for (const isin of isins) {
      sink.row('emt', { isin, ...valuesOf(texts) }, place)
      spill.completeProfile(isin, place, profileOf(texts))
    }
  }
  const template: Element = { below: { FinancialInstrument: { below: ofInstrument, ends: instrument } } }
  const templates = Object.fromEntries(
    ['EMT_V4', 'EMT_V4_1', 'EMT_V4_2', 'EMT_V4_3'].map((name) => [name, template]),
  )
  const old = { out: 'an EMT older than V4: its fields mean something else' }
  const others = ['EMIR', 'KIIDs', 'EFTs', 'EET1.0', 'EET1.1', 'EET1.1.1', 'EET1.1.2', 'EET1.1.3'].map(
    (name) => {
      return [name, { out: `reports of another template (${name}): no endpoint has them` }]
    },
  )
  return { ...templates, EMT: old, EMT_V3: old, ...(Object.fromEntries(others) as Elements) }
}

/** Sections that a report may lack are known by their reference dates. */
const ofInstrument: Elements = {
  FundOrShareClassIdentifiers: { below: { ISINs: { below: leaves('ISIN') } } },
  GeneralInformation: {
    below: leaves('Code CodificationSystem InstrumentPerformanceFee ManufacturerProductGovernanceProces'),
  },
  TargetMarket: {
    below: {
      RiskTolerance: { below: leaves('UCITSMethodology') },
      ClientObjectives: {
        below: leaves(
          'IntendedCompatibleWithClientsHavingSustainabilityPreferences OtherSpecificInvestmentNeed',
        ),
      },
    },
  },
  CostsAndChargesExAnte: {
    below: {
      Fund: { below: leaves('ManagementFee TransactionCosts IncidentalCosts') },
      CostsReferenceDate: { text: 'CostsReferenceDate' },
    },
  },
  CostsAndChargesExPost: {
    below: {
      Fund: {
        below: { EntryCostAcquired: { text: 'EntryCostAcquired' }, OngoingCosts: { text: 'OngoingCosts' } },
      },
      ReferencePeriod: { below: leaves('End') },
    },
  },
}

/** A field that its section lacks is empty in the template, so its column is NULL. A section that is not reported takes no value away. */
function valuesOf(texts: Texts): Record<string, Value> {
  const { UCITSMethodology: srri, IntendedCompatibleWithClientsHavingSustainabilityPreferences: esg } = texts
  // The section has to be there, and is empty where it is not reported.
  const hasTargetMarket = srri !== undefined || esg !== undefined
  const exAnte = day(texts['CostsReferenceDate'])
  const exPost = day(texts['End'])
  return {
    governanceprocess: texts['ManufacturerProductGovernanceProces'] ?? null,
    ...(hasTargetMarket && {
      srri: number(srri) ?? null,
      compatible_for_clients_with_esg_preferences: esg ?? null,
    }),
    // V4.2 has dropped the field.
    ...present({ other_specific_investment_need: texts['OtherSpecificInvestmentNeed'] }),
    ...(exAnte === undefined
      ? {}
      : {
          transaction_costs_date: exAnte,
          transaction_costs: number(texts['TransactionCosts']) ?? null,
          incidental_costs_date: exAnte,
          incidental_costs: number(texts['IncidentalCosts']) ?? null,
        }),
    ...(exPost === undefined
      ? {}
      : {
          ongoing_costs_date: exPost,
          ongoing_costs: number(texts['OngoingCosts']) ?? null,
          entry_costs: number(texts['EntryCostAcquired']) ?? null,
        }),
  }
}

/** What the template knows of a profile: its fees are fractions there. */
function profileOf({ InstrumentPerformanceFee, ManagementFee }: Texts): Record<string, Value> {
  const fee = Number(decimal(ManagementFee) ?? NaN)
  return present({
    performance_fee: { Y: 1, N: 0 }[InstrumentPerformanceFee ?? ''],
    management_fee: Number.isFinite(fee) ? Number((100 * fee).toPrecision(12)) : undefined,
  })
}
