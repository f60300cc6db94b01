/** Requests that nobody in good faith sends, as the bytes that go over the connection. */
import fc from 'fast-check'

/** `isin` is a fund that exists, `canary` the name of a file that lies outside the snapshot. */
export function hostileRequest(isin: string, canary: string) {
  const method = fc.oneof(
    { weight: 8, arbitrary: fc.constant('GET') },
    { weight: 2, arbitrary: oneOf('HEAD OPTIONS POST DELETE TRACE get G\u00e9T BREW') },
  )
  const target = fc.oneof(
    { weight: 4, arbitrary: traversal(isin, canary) },
    { weight: 3, arbitrary: mixedPath(isin) },
    { weight: 2, arbitrary: queries(isin) },
    { weight: 2, arbitrary: bytesText(60).map((text) => `/${text}`) },
    { weight: 1, arbitrary: fc.constantFrom(...longTargets(isin)) },
    { weight: 1, arbitrary: oneOf('* http://elsewhere.example/ elsewhere:443 ? # //host/api/ \\api\\v1') },
  )
  return fc.record({ method, target, headers: fc.array(header, { maxLength: 4 }) }).map((request) => {
    const first = `${request.method} ${request.target} HTTP/1.1`
    const lines = [first, 'Host: localhost', 'Connection: close', ...request.headers, '\r\n']
    return { method: request.method, bytes: Buffer.from(lines.join('\r\n'), 'latin1') }
  })
}

/** Attempts to climb out of the snapshot to the canary. */
function traversal(isin: string, canary: string) {
  const start = oneOf(
    `/ /api/v1/ /api/v1/prices-current/ /api/v1/prices-historic/${isin}/ /api/v1/investment_structure-
     /api/v2/emt/${isin}/ /errors/index/`,
  )
  const climb = oneOf(
    `../ %2e%2e/ ..%2f %2E%2E%2F .%2e/ ..%5c ..\\ %252e%252e%252f ..;/ ....// %c0%ae%c0%ae/ ..%00/ ./`,
  )
  const end = oneOf(
    `/ %00 %00.json %00/ ?format=json /?format=xml /?format=../../${canary}%00
     /?format=xml&language=../../../${canary}`,
  )
  return fc
    .tuple(start, climb, fc.integer({ min: 1, max: 8 }), fc.oneof(end, fc.constant('')))
    .map(([from, up, times, last]) => from + up.repeat(times) + canary + last)
}

/** Real pieces of paths among bad ones. */
function mixedPath(isin: string) {
  const start = oneOf(`/ /api/v1/ /api/v2/ /api/v1/prices-historic/${isin}/`)
  const piece = fc.oneof(
    oneOf(
      `api v1 v2 prices-historic investment_structure-countries figures emt ${isin} 2024-01-01 2024-12-31
       index.de.json 2024.json manifest.ndjson.gz`,
    ),
    oneOf(
      `. .. %2e %2f %5c %00 % %f %zz %ff %C3 %0d%0a %F0%9F%98%80 %EF%BF%BE __proto__ constructor %u0041 ~ $& {}
       \u00e4`,
    ),
    bytesText(8),
  )
  return fc
    .tuple(start, fc.array(piece, { maxLength: 6 }), fc.constantFrom('', '/'))
    .map(([from, pieces, end]) => from + pieces.join('/') + end)
}

function queries(isin: string) {
  const path = oneOf(
    `/api/v1/figures/${isin}/ /api/v1/figures/${isin} /api/v1/prices-historic/${isin}/2024-01-01/2024-02-01/ /no`,
  )
  const pair = fc.oneof(
    oneOf(
      `format=json format=xml format= format format=%00 format=% language=de language=%ff __proto__=x && = ==
       language=en%0d%0aSet-Cookie:%20a=b %66ormat=xml format[]=xml format=xml;language=en`,
    ),
    bytesText(12),
  )
  return fc
    .tuple(path, fc.array(pair, { maxLength: 8 }))
    .map(([start, pairs]) => `${start}?${pairs.join('&')}`)
}

const longTargets = (isin: string) => [
  `/${'a'.repeat(100_000)}`,
  '/'.repeat(100_000),
  `/api/v1/figures/${'%C3%A4'.repeat(17_000)}/`,
  `/api/v1/figures/${isin}/?${'format=json&'.repeat(9_000)}`,
  `/api/v1/investment_structure-${'%'.repeat(12_000)}/`,
  `/${'../'.repeat(4_000)}`,
  `/api/v1/prices-historic/${isin}/${'9'.repeat(10_000)}-01-01/2024-01-01/`,
]

/** Any bytes but those that end a request line. */
const bytesText = (maxLength: number) =>
  fc
    .uint8Array({ maxLength })
    .map((bytes) => Buffer.from(bytes.filter((byte) => byte > 0x20 && byte !== 0x7f)).toString('latin1'))

const header = fc
  .tuple(
    oneOf(
      `Accept Accept-Language Accept-Encoding If-None-Match If-Modified-Since Range Origin Host X-Forwarded-Host
       Cookie`,
    ),
    fc.oneof(
      oneOf(
        `, ; * */*;q=9 q=1 ;q=;q= a/b;q=0.5;q=1 " W/" "a","b" bytes=0-0 bytes=-1 ../../etc/passwd \u00e4\u00ff
         gzip;q=x,br;q=-1 1;2;3`,
      ),
      fc.constantFrom('', 'Mon, 99 Feb 2024 99:99:99 GMT'),
      fc.constantFrom(
        'application/xml;q=0.1,'.repeat(300),
        'a'.repeat(12_000),
        ','.repeat(9_000),
        '*/*'.repeat(3_000),
        '"x",'.repeat(3_000),
        'en;q=0.123456789,'.repeat(20_000),
      ),
      bytesText(40),
    ),
  )
  .map(([name, value]) => `${name}: ${value}`)

/** One of the words of a text. */
function oneOf(words: string): fc.Arbitrary<string> {
  return fc.constantFrom(...words.split(/\s+/))
}
