/** Names of the codes that FundsXML has, in both languages of the API. Source: FundsXML4_AssetMasterData.xsd and FundsXML4_PortfolioData.xsd, 4.2.11. */

import { asItIs, type Named } from '../code-names.ts'

/** In the order in which the asset allocation has them: by code, element of a position, German and English name. */
const assetTypeLines = `
EQ Equity Aktien = Equities
BO Bond Anleihen = Bonds
SC ShareClass Investmentfonds = Investment funds
CE Certificate Zertifikate = Certificates
WA Warrant Optionsscheine = Warrants
RI Right Bezugsrechte = Rights
RT REIT REITs = REITs
CP CommercialPaper Geldmarktpapiere = Commercial paper
RE RealEstate Immobilien = Real estate
LO Loan Darlehen = Loans
PE PrivateEquity Unternehmensbeteiligungen = Private equity
CO Commodity Rohstoffe = Commodities
CR Crypto Kryptowerte = Crypto assets
IX Index Indizes = Indices
OP Option Optionen = Options
FU Future Futures = Futures
SW Swap Swaps = Swaps
FX FXForward Devisentermingeschäfte = Currency forwards
RP Repo Pensionsgeschäfte = Repurchase agreements
FT FixedTimeDeposit Termingelder = Time deposits
CM CallMoney Tagesgelder = Call money
AC Account Bankguthaben = Bank accounts
FE Fee Gebühren = Fees`

const assetTypes = assetTypeLines
  .trim()
  .split('\n')
  .map((line, index) => {
    const [, code = '', element = '', de = '', en = ''] = /^(\S+) (\S+) (.+) = (.+)$/.exec(line) ?? []
    return { code, element, position: index + 1, name: { de, en } }
  })

const byCode = new Map(assetTypes.map((type) => [type.code, type]))

/** Of a position, by the element that it has. */
export const assetTypeElements: Readonly<Record<string, string>> = Object.fromEntries(
  assetTypes.map(({ element, code }) => [element, code]),
)

/** @returns the name of an asset type, and its place among the others; undefined for a text that is no code */
export const assetType = (code: string) => byCode.get(code)

/** The largest of these are shown. Accounts, derivatives and the like are no securities. */
export const securities: readonly string[] = ['EQ', 'BO', 'SC', 'CE', 'WA', 'RI', 'RT', 'CP']

/** The types of the largest values of one asset type. */
export const topValueTypes: Readonly<Record<string, string>> = {
  EQ: 'top_values_securities',
  BO: 'top_values_bonds',
  SC: 'top_values_funds',
  CE: 'top_values_certificates',
}

export const assetTypeName = (text: string): Named => assetType(text)?.name ?? asItIs(text)

const riskCodes: Readonly<Record<string, string>> = {
  'ACTIVE SHARE': 'Active Share',
  'BETA FACTOR': 'Beta-Faktor = Beta factor',
  CORRELATION: 'Korrelation = Correlation',
  COVARIANCE: 'Kovarianz = Covariance',
  'CRR II ABSOLUTE': 'CRR II, absolut = CRR II, absolute',
  'CRR II PERCENTAGE': 'CRR II, in Prozent = CRR II, in percent',
  DELTA: 'Delta',
  DURATION: 'Duration',
  'DURATION TO CALL': 'Duration bis zur Kündigung = Duration to call',
  'DURATION TO MATURITY': 'Duration bis zur Fälligkeit = Duration to maturity',
  'EXPECTED SHORTFALL': 'Expected Shortfall = Expected shortfall',
  GAMMA: 'Gamma',
  'INFORMATION RATIO': 'Information Ratio = Information ratio',
  'JENSEN ALPHA': 'Jensens Alpha = Jensen’s alpha',
  'LEVERAGE GROSS': 'Hebel (brutto) = Leverage (gross)',
  'LEVERAGE LIMIT': 'Hebel (Grenze) = Leverage (limit)',
  'LEVERAGE USAGE': 'Hebel (Ausnutzung) = Leverage (usage)',
  'LIQUIDATED WITHIN ONE DAY': 'Innerhalb eines Tages veräußerbar = Liquidated within one day',
  'MODIFIED DURATION': 'Modifizierte Duration = Modified duration',
  'MODIFIED DURATION TO CALL': 'Modifizierte Duration bis zur Kündigung = Modified duration to call',
  'MODIFIED DURATION TO MATURITY': 'Modifizierte Duration bis zur Fälligkeit = Modified duration to maturity',
  'NET COMMODITY DELTA': 'Rohstoff-Delta, netto = Commodity delta, net',
  'NET CS01': 'CS01, netto = CS01, net',
  'NET DV01': 'DV01, netto = DV01, net',
  'NET EQUITY DELTA': 'Aktien-Delta, netto = Equity delta, net',
  'NET FX DELTA': 'Währungs-Delta, netto = Currency delta, net',
  'SHARPE RATIO': 'Sharpe Ratio = Sharpe ratio',
  'TRACKING ERROR': 'Tracking Error = Tracking error',
  'TREYNOR RATIO': 'Treynor Ratio = Treynor ratio',
  'VAR COMMITMENT APPROACH': 'Value at Risk (Commitment-Ansatz) = Value at risk (commitment approach)',
  'VAR GROSS METHOD': 'Value at Risk (Bruttomethode) = Value at risk (gross method)',
  'VAR ABSOLUTE LIMIT': 'Value at Risk (absolute Grenze) = Value at risk (absolute limit)',
  'VAR ABSOLUTE UCITS': 'Value at Risk (absolut, OGAW) = Value at risk (absolute, UCITS)',
  'VAR EQUIVALENT VOLATILITY': 'VaR-äquivalente Volatilität = VaR equivalent volatility',
  VEGA: 'Vega',
  'VEGA EXPOSURE': 'Vega-Exposure = Vega exposure',
  'VOLATILITY OF PRICES': 'Volatilität der Preise = Volatility of prices',
  'VOLATILITY OF RETURNS': 'Volatilität der Renditen = Volatility of returns',
  YIELD: 'Rendite = Yield',
}

/** @param code a listed one, or a text as it is */
export function riskName(code: string): Named {
  const [de = code, en] = (riskCodes[code] ?? code).split(' = ')
  return { de, en: en ?? null }
}
