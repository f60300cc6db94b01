/** Names of single holdings: invented issuers, so that no demo says anything about a real one. */

import type { Random } from '../random.ts'
import type { Name } from '../shares.ts'

const companies = [
  'Nordhafen Logistik AG',
  'Albtal Pharma SE',
  'Sommerfeld & Töchter KGaA',
  'Kranich Halbleiter AG',
  'Société Lumière S.A.',
  'Bergwerth Rück AG',
  'Øresund Vind A/S',
  'Fjällräv Papper AB',
  'Hansekontor Bank AG',
  'Tessiner Präzision SA',
  'Great Lakes Rail Inc.',
  "O'Leary Foods plc",
  'Isar Optik SE',
  'Maas & Schelde Chemie N.V.',
  'Kitano Robotics K.K.',
  'Weser Energie AG',
  'Aurelia Software SpA',
  'Cordillera Mining Corp.',
  'Grünwald Wohnen SE',
  'Quellwasser Brunnen AG',
]

const debtors = [
  'Hypothekenbank Elbtal',
  'Land Nordmark',
  'Kranich Halbleiter',
  'Republik Südmeer',
  'Weser Energie',
  'Kommunalkasse Oberland',
  'Maas & Schelde Chemie',
  'Förderbank Alpenrand',
  'Hansekontor Bank',
  'Great Lakes Rail',
  'Stadt Neuhafen',
  'Bergwerth Rück',
]

const bonusPapers = [
  'Gold-ETC Elbtal',
  'Bonuszertifikat Elbe 40',
  'Discount Rhein & Ruhr',
  'Silber-ETC Elbtal',
  'Expresszertifikat Alster',
]

const targetFunds = [
  'Möwenstein Aktien Europa I',
  'Möwenstein Renten Global I',
  'Alster ETF World',
  'Kranich High Yield Fund',
  'Elbtal Rohstoffe',
  'Fördekapital Nordic Bonds',
  'Oberland Mikrofinanz',
]

export function shareNames(random: Random, count: number): readonly Name[] {
  return random.draw(companies, count).map((company): Name => [company])
}

/** @param year the current one: bonds fall due in the years after it, as many as `longest` */
export function bondNames(random: Random, count: number, year: number, longest = 12): readonly Name[] {
  return random.draw(debtors, count).map((debtor): Name => {
    const coupon = `${random.whole(0, 4)},${random.pick(['000', '125', '250', '500', '625', '750', '875'])}`
    return [`${coupon} % ${debtor} ${year + random.whole(1, longest)}`]
  })
}

export function certificateNames(random: Random, count: number): readonly Name[] {
  return random.draw(bonusPapers, count).map((paper): Name => [paper])
}

export function fundHoldingNames(random: Random, count: number): readonly Name[] {
  return random.draw(targetFunds, count).map((fund): Name => [fund])
}
