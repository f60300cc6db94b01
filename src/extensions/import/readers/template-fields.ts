/**
 * The fields that are mandatory in the European MiFID Template of FinDatEx, EMT V4.3 of 17 December 2025, and what they may
 * hold. Source: the sheet "EMT V4.3" of that workbook, columns "Mandatory / Optional / Conditional / Indicative" (M) and
 * "Codification". Fields that are mandatory for structured securities only are left out.
 */

import { quoted } from '../../../core/data/model/printable.ts'
import type { FileCell } from '../values.ts'

const any = null
const yesNo = ['Y', 'N']
const target = ['Y', 'N', 'Neutral']

/** By their names; the values that the template lists, or null if it lists none. */
const fields: Readonly<Record<string, readonly string[] | null>> = {
  '00001_EMT_Version': any,
  '00005_File_Generation_Date_And_Time': any,
  '00006_EMT_Data_Reporting_Target_Market': yesNo,
  '00007_EMT_Data_Reporting_Ex_Ante': yesNo,
  '00008_EMT_Data_Reporting_Ex_Post': yesNo,
  '00010_Financial_Instrument_Identifying_Data': any,
  '00020_Type_Of_Identification_Code_For_The_Financial_Instrument': '1 2 3 4 5 6 7 8 9 10 99'.split(' '),
  '00030_Financial_Instrument_Name': any,
  '00040_Financial_Instrument_Currency': any,
  '00045_Financial_Instrument_Performance_Fee': yesNo,
  '00047_Financial_Instrument_Distribution_Of_Cash': yesNo,
  '00050_General_Reference_Date': any,
  '00060_Financial_Instrument_Product_Type': ['S', 'SF', 'U', 'N', 'UM', 'NM', 'ETC', 'B'],
  '00070_Financial_Instrument_Manufacturer_Name': any,
  '01000_Target_Market_Reference_Date': any,
  '01010_Investor_Type_Retail': target,
  '01020_Investor_Type_Professional': ['Y', 'N', 'P', 'E'],
  '01030_Investor_Type_Eligible_Counterparty': yesNo,
  '02010_Basic_Investor': target,
  '02020_Informed_Investor': target,
  '02030_Advanced_Investor': target,
  '03010_Compatible_With_Clients_Who_Can_Not_Bear_Capital_Loss': target,
  '03040_Compatible_With_Clients_Who_Do_Not_Need_Capital_Guarantee': target,
  '03050_Compatible_With_Clients_Who_Can_Bear_Loss_Beyond_Capital': target,
  '05010_Return_Profile_Client_Looking_For_Preservation': target,
  '05020_Return_Profile_Client_Looking_For_Capital_Growth': target,
  '05030_Return_Profile_Client_Looking_For_Income': target,
  // A number of years is possible, too.
  '05080_Minimum_Recommended_Holding_Period': ['V', 'S', 'M', 'L', 'H'],
  '05105_Does_This_Financial_Instrument_Consider_End_Client_Sustainability_Preferences': ['Y', 'Neutral'],
  '07100_Financial_Instrument_Gross_Ongoing_Costs': any,
  '07110_Financial_Instrument_Management_Fee': any,
  '07130_Financial_Instrument_Transaction_Costs_Ex_Ante': any,
  '07140_Financial_Instrument_Incidental_Costs_Ex_Ante': any,
  '07160_Ex_Ante_Costs_Reference_Date': any,
  '08030_Financial_Instrument_Ongoing_Costs_Ex_Post': any,
  '08050_Financial_Instrument_Management_Fee_Ex_Post': any,
  '08070_Financial_Instrument_Transaction_Costs_Ex_Post': any,
  '08080_Financial_Instrument_Incidental_Costs_Ex_Post': any,
  '08090_Beginning_Of_Reference_Period': any,
  '08100_End_Of_Reference_Period': any,
}

/** Said of a section that is not reported. */
export const notReported = 'N'

/** The field that says with N that a section of the template is not reported; of other fields undefined. */
export function sectionOf(number: string): string | undefined {
  if (number.startsWith('00')) return undefined
  if (number.startsWith('07')) return '00007'
  return number.startsWith('08') ? '00008' : '00006'
}

/** A line of another product than a fund: a structured security, an exchange-traded commodity, a bond. */
const otherProducts = ['S', 'ETC', 'B']
const ofFundsOnly = ['07110', '07130', '08050', '08070']

/**
 * Looks for mandatory fields that are empty or hold what the template does not list. Its memory does not grow.
 * @param places of the fields in a line, by their numbers
 */
export function mandatoryFields(places: ReadonlyMap<string, number>) {
  const faults = new Map<string, { readonly first: string; count: number }>()
  const find = (place: string, first: string) => {
    const fault = faults.get(place) ?? { first, count: 0 }
    fault.count++
    faults.set(place, fault)
  }
  const all = Object.entries(fields).map(([name, values]) => {
    const number = name.slice(0, 5)
    return { name, number, values, section: sectionOf(number) }
  })
  const look = (cells: readonly FileCell[], line: number): void => {
    const textOf = (number: string | undefined) =>
      String(cells[places.get(number ?? '') ?? cells.length] ?? '').trim()
    const isFund = !otherProducts.includes(textOf('00060'))
    for (const { name, number, values, section } of all) {
      if (textOf(section) === notReported || (!isFund && ofFundsOnly.includes(number))) continue
      const text = textOf(number)
      if (text === '') find(`${name} is missing`, `line ${line}`)
      else if (values?.includes(text) === false && !(number === '05080' && /^\d+(?:[.,]\d+)?$/.test(text)))
        find(`${name} is not one of ${values.join(', ')}`, `${quoted(text)} in line ${line}`)
    }
  }
  /** A line for each field and fault, with the first line of the file that has it. */
  const warnings = (): readonly string[] =>
    [...faults]
      .map(([fault, { first, count }]) => `${fault}: ${first}${count === 1 ? '' : ` and ${count - 1} more`}`)
      .sort()
  return { look, warnings }
}
