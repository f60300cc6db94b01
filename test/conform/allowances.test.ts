/** What platforms may do differently, and what not; and what the suite is made of. */
import { describe, expect, it } from 'vitest'
import {
  comparableHeaders,
  locationBelow,
  mayBeRefusedInFront,
  mayBeTagOfCoded,
  varyText,
  withoutDotSegments,
} from '../../src/conform/allowances.ts'
import { type HttpAnswer, curlCommand } from '../../src/conform/client.ts'
import { checks } from '../../src/conform/suite.ts'

function answer(status: number, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers: new Map(Object.entries(headers)), body: Buffer.alloc(0) }
}

describe('allowances', () => {
  it('ignore headers that CDNs and front servers add, and no others', () => {
    const added = { date: 'a', age: '1', via: 'x', 'cf-ray': 'y', 'x-amz-cf-id': 'z', 'x-cache': 'Hit' }
    const ofLength = { 'content-length': '7', 'transfer-encoding': 'chunked' }
    const ours = { etag: '"e"', 'x-powered-by': 'us' }
    const headers = { ...added, ...ofLength, ...ours, vary: 'Accept-Encoding, Accept' }
    expect(Object.fromEntries(comparableHeaders(answer(200, headers)))).toEqual({ ...ours, vary: 'accept' })
  })

  it.each([
    [undefined, ''],
    ['Accept-Encoding', ''],
    ['Accept-Language,accept , Accept-Encoding', 'accept, accept-language'],
    ['Origin', 'origin'],
  ])('read Vary %s as %j', (vary, expected) => {
    expect(varyText(vary)).toBe(expected)
  })

  it.each([
    ['"a-gzip"', '"a"', true],
    ['W/"a"', '"a"', true],
    ['"a"', '"a"', false],
    [undefined, '"a"', false],
    ['a', '"a"', false],
  ])(
    'whether ETag %s may be of a compressed answer, and %s of the plain one: %s',
    (coded, plain, expected) => {
      expect(mayBeTagOfCoded(coded, plain)).toBe(expected)
    },
  )

  it.each([
    ['/%zz/', 400, true],
    ['/a"b/', 400, true],
    ['/a\\b/', 400, true],
    ['/%zz/', 404, false],
    ['/%zz/', 500, false],
    ['/%00/', 400, true],
    ['/../', 400, true],
    ['/a/../b/', 400, false],
    ['//', 400, false],
    ['/?a[]=1', 400, true],
    [`/${'a'.repeat(9000)}`, 414, true],
    [`/${'a'.repeat(9000)}`, 502, false],
    ['/a/', 414, false],
  ])('whether a front server may answer %.20s with %i: %s', (target, status, expected) => {
    expect(mayBeRefusedInFront({ target }, answer(status))).toBe(expected)
  })

  it.each([
    ['/a/b/../c/', '/a/c/'],
    ['/a/./b/?x=../', '/a/b/?x=../'],
    ['/a/b/..', '/a/'],
    ['/%2E%2e/a', '/a'],
    ['/../../a/', '/a/'],
    ['/a/..%2fb/', undefined],
    ['/a/b/?../', undefined],
  ])('treat %s as %s', (target, short) => {
    expect(withoutDotSegments(target)).toBe(short)
  })

  it.each([
    ['https://a.example', '/api/', '/api/'],
    ['https://a.example', 'https://a.example/api/', '/api/'],
    ['https://a.example/x', '/x/api/', '/api/'],
    ['https://a.example/x', 'https://a.example/x/api/?q', '/api/?q'],
    ['https://a.example', 'https://b.example/api/', 'https://b.example/api/'],
    ['https://a.example/x', '/api/', '/api/ (not below https://a.example/x)'],
    ['https://a.example', undefined, undefined],
  ])('treat, below %s, the location %s as %s', (base, location, expected) => {
    expect(locationBelow(base, location)).toBe(expected)
  })
})

it('a failed request is written as a curl command', () => {
  expect(curlCommand('http://a', { target: "/it's/?a=b&c" })).toBe(
    `curl -sS -i --path-as-is --globoff 'http://a/it'\\''s/?a=b&c'`,
  )
  const headers = { accept: 'text/xml', 'accept-encoding': '' }
  expect(curlCommand('http://a', { method: 'HEAD', target: '/', headers })).toBe(
    `curl -sS -i --path-as-is --globoff --head -H 'accept: text/xml' -H 'accept-encoding;' 'http://a/'`,
  )
  expect(curlCommand('http://a', { method: 'POST', target: '/', body: 'x' })).toBe(
    `curl -sS -i --path-as-is --globoff -X 'POST' --data-raw 'x' 'http://a/'`,
  )
})

it('each check has a name of its own', () => {
  const names = checks.map(({ group, name }) => `${group}: ${name}`)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(70)
})
