/** FundsXML 4.0 to 4.2, the exchange format of fund companies, as rows of many tables. One pass over a file of any size. */

import type { Reader, RowSink, SplitFactor, Told } from '../reader.ts'
import type { Value } from '../../values.ts'
import { documentsElement, emitDocuments } from './documents.ts'
import { reportingElements } from './emt.ts'
import { fundsElement } from './funds.ts'
import { assetElement, emitPortfolios } from './portfolios.ts'
import { openSpill, type Spill } from './spill.ts'
import { day, leaves } from './texts.ts'
import { readXml, type Element, type Elements, type Found } from './xml.ts'

export const fundsxml: Reader = {
  name: 'fundsxml',
  about: 'FundsXML 4.0 to 4.2: funds, prices, distributions, documents, structures and the EMT of one file',
  derives: () => true,
  recognises: ({ text }) => /^\s*</.test(text) && /<FundsXML4[\s>/]/.test(text),
  async read({ file }, sink, { encoding, splitFactor }): Promise<Told> {
    const spill = openSpill()
    try {
      const control: Control = {}
      const feeTypes = new Set<string>()
      const root = { FundsXML4: { below: elementsOf(sink, spill, { control, splitFactor, feeTypes }) } }
      const options = { encoding, onBytes: sink.bytes, onLeftOut: sink.leftOut }
      const read = await readXml(file, root, options)
      emitPortfolios(spill, sink)
      emitDocuments(spill, sink)
      emitProfiles(spill, sink)
      const version = control.version ?? '4'
      const isKnown = /^4(?:\.[0-2](?:\.|$)|$)/.test(version)
      return {
        form: [`FundsXML ${version}`, read],
        notes: feeNotes(feeTypes),
        warnings: isKnown ? [] : [`FundsXML ${version} is not known here: it was read as 4.2`],
      }
    } finally {
      spill.close()
    }
  },
}

/** What a file says about itself, at its beginning. */
interface Control {
  version?: string | undefined
  contentDate?: string | undefined
}

interface Facts {
  readonly control: Control
  readonly splitFactor: SplitFactor | undefined
  readonly feeTypes: Set<string>
}

function elementsOf(sink: RowSink, spill: Spill, { control, splitFactor, feeTypes }: Facts): Elements {
  const controlData: Element = {
    below: leaves('Version ContentDate DataOperation'),
    ends: ({ texts, place }: Found) => {
      control.version = texts['Version']
      control.contentDate = day(texts['ContentDate'])
      if (texts['DataOperation'] === 'DELETE')
        throw new Error(`${place}: it takes back other files (DataOperation DELETE), which no import can do`)
    },
  }
  return {
    ControlData: controlData,
    Funds: fundsElement({ sink, spill, splitFactor, contentDate: () => control.contentDate, feeTypes }),
    AssetMgmtCompanyDynData: { out: 'data of the management company: no endpoint has them' },
    AssetMasterData: assetElement(spill),
    Documents: documentsElement(sink, spill),
    RegulatoryReportings: {
      below: {
        DirectReporting: { below: reportingElements(sink, spill) },
        IndirectReporting: { out: 'reports for insurers (IndirectReporting): no endpoint has them' },
      },
    },
    CountrySpecificData: { out: 'data of one country (CountrySpecificData): no endpoint has them' },
    'ds:Signature': { out: 'the signature of the file, which is not verified' },
  }
}

const shownFees = 8

/** Types of fees are free texts: people have to see what was made of them. */
function feeNotes(types: ReadonlySet<string>): readonly string[] {
  if (types.size === 0) return []
  const more = types.size > shownFees ? ` and ${types.size - shownFees} more` : ''
  return [`fees by their types: ${[...types].sort().slice(0, shownFees).join(', ')}${more}`]
}

function emitProfiles(spill: Spill, sink: RowSink): void {
  for (const { isin, place, texts } of spill.profiles()) {
    const values = JSON.parse(texts) as Record<string, Value>
    if (Object.keys(values).length > 0) sink.part('profile', { isin, ...values }, place)
  }
}
