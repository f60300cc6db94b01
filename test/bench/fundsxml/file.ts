/** A FundsXML file of any size, as a company delivers it: funds with two share classes, prices, positions, and at the end the assets. */

import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { isinOf } from '../../support/database.ts'

const day = '2026-11-27'
const positions = 60
const countries = ['DE', 'US', 'FR', 'GB', 'JP', 'CH', 'NL', 'IE']
const currencies = ['EUR', 'USD', 'GBP', 'JPY', 'CHF']
const types = [
  { code: 'EQ', element: 'Equity', amount: 'Units', first: '' },
  { code: 'BO', element: 'Bond', amount: 'Nominal', first: '<ConvertibleFlag>false</ConvertibleFlag>' },
  { code: 'SC', element: 'ShareClass', amount: 'Shares', first: '' },
] as const

const pick = <T>(list: readonly [T, ...T[]] | readonly T[], number: number): T =>
  list[number % list.length] as T

/**
 * Writes the file, a fund at a time. Positions are four fifths of it, and refer to assets that stand behind all funds.
 * @returns how many funds, share classes and positions it has
 */
export async function writeFundsXml(file: string, megabytes: number) {
  const out = createWriteStream(file)
  let bytes = 0
  const write = async (text: string): Promise<void> => {
    bytes += text.length
    if (!out.write(text)) await once(out, 'drain')
  }
  await write(head)
  let funds = 0
  while (bytes < megabytes * 0.8e6) await write(fundText(funds++))
  await write('\t</Funds>\n\t<AssetMasterData>\n')
  let assets = 0
  while (bytes < megabytes * 1e6) await write(assetText(assets++))
  await write('\t</AssetMasterData>\n</FundsXML4>\n')
  out.end()
  await finished(out)
  return { funds, classes: 2 * funds, positions: positions * funds, assets }
}

const head = `<?xml version="1.0" encoding="UTF-8"?>
<FundsXML4>
	<ControlData>
		<UniqueDocumentID>BENCH</UniqueDocumentID>
		<DocumentGenerated>${day}T20:00:00</DocumentGenerated>
		<Version>4.2.9</Version>
		<ContentDate>${day}</ContentDate>
		<DataSupplier>
			<SystemCountry>DE</SystemCountry>
			<Short>BENCH</Short>
			<Name>Bench</Name>
			<Type>IC</Type>
		</DataSupplier>
		<DataOperation>INITIAL</DataOperation>
	</ControlData>
	<Funds>
`

function fundText(number: number): string {
  const own = Array.from({ length: positions }, (_, at) => positionText(number * 37 + at * 101, at)).join('')
  return `		<Fund>
			<Identifiers><LEI>5299${String(number).padStart(16, '0')}</LEI></Identifiers>
			<Names><OfficialName>Fund ${number}</OfficialName></Names>
			<Currency>EUR</Currency>
			<SingleFundFlag>true</SingleFundFlag>
			<FundStaticData><ListedLegalStructure>UCITS</ListedLegalStructure><InceptionDate>2015-03-16</InceptionDate></FundStaticData>
			<FundDynamicData>
				<TotalAssetValues>
					<TotalAssetValue>
						<NavDate>${day}</NavDate>
						<TotalAssetNature>OFFICIAL</TotalAssetNature>
						<TotalNetAssetValue><Amount ccy="EUR">125000000</Amount></TotalNetAssetValue>
					</TotalAssetValue>
				</TotalAssetValues>
				<Portfolios>
					<Portfolio>
						<NavDate>${day}</NavDate>
						<Positions>
${own}						</Positions>
					</Portfolio>
				</Portfolios>
			</FundDynamicData>
			<SingleFund>
				<ShareClasses>
${classText(2 * number)}${classText(2 * number + 1)}				</ShareClasses>
			</SingleFund>
		</Fund>
`
}

function positionText(asset: number, at: number): string {
  const { element, amount } = pick(types, asset)
  return `							<Position>
								<UniqueID>ID_${asset % 5000}</UniqueID>
								<Identifiers>
									<ISIN>US5949181045</ISIN>
								</Identifiers>
								<Currency>${pick(currencies, asset)}</Currency>
								<TotalValue>
									<Amount ccy="EUR">${2_000_000 + at}</Amount>
								</TotalValue>
								<TotalPercentage>1.6${at}</TotalPercentage>
								<${element}>
									<${amount}>15000.00</${amount}>
									<Price>
										<Amount ccy="USD">615.25</Amount>
									</Price>
								</${element}>
							</Position>
`
}

const classText = (number: number) => `					<ShareClass>
						<Identifiers>
							<ISIN>${isinOf(number)}</ISIN>
						</Identifiers>
						<Names>
							<OfficialName>Share class ${number}</OfficialName>
						</Names>
						<Currency>EUR</Currency>
						<Prices>
							<Price>
								<ActionCode>C</ActionCode>
								<NavDate>${day}</NavDate>
								<PriceCurrency>EUR</PriceCurrency>
								<PriceNature>OFFICIAL</PriceNature>
								<NavPrice>142.87</NavPrice>
								<SubscriptionPrice>150.01</SubscriptionPrice>
								<RedemptionPrice>142.87</RedemptionPrice>
							</Price>
						</Prices>
					</ShareClass>
`

function assetText(number: number): string {
  const { code, element, first } = pick(types, number)
  return `		<Asset>
			<UniqueID>ID_${number}</UniqueID>
			<Identifiers>
				<ISIN>US5949181045</ISIN>
			</Identifiers>
			<Currency>${pick(currencies, number)}</Currency>
			<Country>${pick(countries, number)}</Country>
			<Name>Company number ${number}</Name>
			<AssetType>${code}</AssetType>
			<AssetDetails>
				<${element}>${first}
					<Issuer>
						<Identifiers/>
						<Name>Company number ${number}</Name>
					</Issuer>
				</${element}>
			</AssetDetails>
		</Asset>
`
}
