/** Random hostile requests. All of them fit on a connection; most of them are valid HTTP. */

import type { OracleRequest } from '../oracle/oracle.ts'
import type { SeededRandom } from '../random.ts'
import { words } from '../requests.ts'

/** @param isins funds that exist */
export function hostileRequest(random: SeededRandom, isins: readonly string[]): OracleRequest {
  const isin = isins.length === 0 ? 'LU000NOSUCH8' : random.pick(isins)
  return {
    method: random.oneOf([9, () => 'GET'], [1, () => random.pick(['POST', 'DELETE', 'OPTIONS'])]),
    target: random.oneOf(
      [4, () => climbingPath(random, isin)],
      [3, () => mixedPath(random, isin)],
      [3, () => mangledPath(random, isin)],
      [3, () => strangeQuery(random, isin)],
      [1, () => `/${escapedBytes(random, 30)}`],
    ),
    accept: random.oneOf([2, () => undefined], [1, () => strangeHeader(random)]),
    acceptLanguage: random.oneOf([3, () => undefined], [1, () => strangeHeader(random)]),
  }
}

/** Longer than front servers accept. They may refuse these, but must not break down. */
export function longTargets(isin: string): string[] {
  return [
    `/${'a'.repeat(60_000)}`,
    '/'.repeat(30_000),
    `/api/v1/figures/${'%C3%A4'.repeat(5000)}/`,
    `/api/v1/figures/${isin}/?${'format=json&'.repeat(5000)}`,
    `/${'../'.repeat(4000)}`,
    `/api/v1/prices-historic/${isin}/${'9'.repeat(10_000)}-01-01/2024-01-01/`,
  ]
}

/** Headers that a front server may refuse for their length. */
export function longHeaders(): Readonly<Record<string, string>>[] {
  return [
    { accept: 'application/xml;q=0.1,'.repeat(1000) },
    { 'accept-language': 'en;q=0.123456789,'.repeat(1000) },
    { 'accept-encoding': '*/*'.repeat(6000) },
    { 'if-none-match': '"x",'.repeat(4000) },
    { cookie: 'a'.repeat(30_000) },
    Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`x-filler-${at}`, 'b'.repeat(200)])),
  ]
}

/** Files beside the answers that a path may try to reach. */
const beside =
  'etc/passwd canary.txt manifest.ndjson.gz SHA256SUMS live.json journal.json blue/SHA256SUMS errors/index/400-noisin.json'

function climbingPath(random: SeededRandom, isin: string): string {
  const start = word(
    random,
    `/ /api/v1/ /api/v1/prices-current/ /api/v1/prices-historic/${isin}/ /api/v1/investment_structure-
     /api/v2/emt/${isin}/ /errors/index/`,
  )
  const climb = word(
    random,
    '../ %2e%2e/ ..%2f %2E%2E%2F .%2e/ ..%5c %252e%252e%252f ..;/ ....// %c0%ae%c0%ae/ ..%00/ ./',
  )
  const end = random.oneOf(
    [1, () => ''],
    [1, () => word(random, '/ %00 %00.json %00/ ?format=json /?format=xml /?format=../../live.json%00')],
  )
  return start + climb.repeat(1 + random.below(8)) + word(random, beside) + end
}

/** Real pieces of paths among bad ones. */
function mixedPath(random: SeededRandom, isin: string): string {
  const start = word(random, `/ /api/v1/ /api/v2/ /api/v1/prices-historic/${isin}/`)
  const pieces = Array.from({ length: random.below(7) }, () =>
    random.oneOf(
      [
        2,
        () =>
          word(
            random,
            `api v1 v2 prices-historic investment_structure-countries figures emt ${isin} 2024-01-01 2024-12-31
             index.de.json 2024.json manifest.ndjson.gz`,
          ),
      ],
      [
        2,
        () =>
          word(
            random,
            `. .. %2e %2f %5c %00 % %f %zz %ff %C3 %0d%0a %F0%9F%98%80 %EF%BF%BE __proto__ constructor %u0041 ~ $&
             {} %C3%A4`,
          ),
      ],
      [1, () => escapedBytes(random, 8)],
    ),
  )
  return start + pieces.join('/') + random.pick(['', '/'])
}

/** A valid path with one thing wrong. */
function mangledPath(random: SeededRandom, isin: string): string {
  const path = word(
    random,
    `/api/v1/figures/${isin}/ /api/v1/prices-current/${isin}/ /api/v2/emt/${isin}/ /api/v1/prices-current-all/
     /api/v1/prices-historic/${isin}/2024-01-01/2024-03-31/ /api/v1/investment_structure-countries/${isin}/`,
  )
  const at = random.below(path.length)
  const character = path[at] ?? ''
  const instead = random.oneOf(
    [3, () => (character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase())],
    [2, () => `%${character.charCodeAt(0).toString(16)}`],
    [2, () => ''],
    [2, () => `${character}/`],
    [1, () => `${character}%00`],
    [1, () => `${character}${character}`],
    [1, () => escapedBytes(random, 2)],
  )
  return path.slice(0, at) + instead + path.slice(at + 1)
}

function strangeQuery(random: SeededRandom, isin: string): string {
  const path = word(
    random,
    `/api/v1/figures/${isin}/ /api/v1/figures/${isin} /api/v1/prices-historic/${isin}/2024-01-01/2024-02-01/ /no`,
  )
  const pairs = Array.from({ length: random.below(9) }, () =>
    random.oneOf(
      [
        2,
        () =>
          word(
            random,
            `format=json format=xml format= format format=%00 format=% language=de language=%ff __proto__=x && = ==
             language=en%0d%0aSet-Cookie:%20a=b %66ormat=xml format[]=xml format=xml;language=en callback=x isin=${isin}`,
          ),
      ],
      [1, () => escapedBytes(random, 6)],
    ),
  )
  return `${path}?${pairs.join('&')}`
}

function strangeHeader(random: SeededRandom): string {
  return random.oneOf(
    [
      3,
      () =>
        word(
          random,
          `, ; * */*;q=9 q=1 ;q=;q= a/b;q=0.5;q=1 " application/xml;q=0.5;q=1 text/xml;level=1;q=0.3 ../../etc/passwd
           en;q=1;q=0 de-;q=1 text/xml;q=1.0000 application/xml;Q=0.2,application/json;q=0.1 1;2;3 en_GB xml,json`,
        ),
    ],
    [
      1,
      () =>
        Array.from({ length: random.below(20) }, () =>
          random.pick('a q = ; , . * / - + " 0 1 x e n'.split(' ')),
        )
          .join('')
          .trim(),
    ],
  )
}

/** Random bytes; percent-encoded unless they are letters. */
function escapedBytes(random: SeededRandom, maxLength: number): string {
  return Array.from({ length: random.below(maxLength) }, () => {
    const byte = random.below(256)
    return /[\w.-]/.test(String.fromCharCode(byte)) && byte < 0x80
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).padStart(2, '0')}`
  }).join('')
}

function word(random: SeededRandom, text: string): string {
  return random.pick(words(text))
}
