/** What platforms may do differently, and what not: an allowance that is too generous would hide faults. */
import { describe, expect, it } from 'vitest'
import {
  comparableHeaders,
  locationBelow,
  mayBeRefusedInFront,
  mayBeTagOfCoded,
  withoutDotSegments,
} from '../../src/extensions/conform/allowances.ts'
import type { HttpAnswer } from '../../src/extensions/conform/client.ts'

function answer(status: number, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers: new Map(Object.entries(headers)), body: Buffer.alloc(0) }
}

describe('allowances', () => {
  it('ignore headers that CDNs and front servers add, and no others', () => {
    const added = { date: 'a', age: '1', via: 'x', 'cf-ray': 'y', 'x-amz-cf-id': 'z', 'content-length': '7' }
    const ours = { etag: '"e"', 'x-powered-by': 'us' }
    const headers = { ...added, ...ours, vary: 'Accept-Encoding,Origin , Accept' }
    expect(Object.fromEntries(comparableHeaders(answer(200, headers)))).toEqual({
      ...ours,
      vary: 'accept, origin',
    })
  })

  it('ask for another ETag of a compressed answer', () => {
    expect(['"a-gzip"', 'W/"a"', '"a"', 'a', undefined].map((tag) => mayBeTagOfCoded(tag, '"a"'))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it.each([
    ['/%zz/', 400, true],
    ['/a"b/', 400, true],
    ['/%zz/', 404, false],
    ['/%00/', 400, true],
    ['/../', 400, true],
    ['/a/../b/', 400, false],
    ['//', 400, false],
    [`/${'a'.repeat(9000)}`, 414, true],
    [`/${'a'.repeat(9000)}`, 502, false],
    ['/a/', 414, false],
  ])('whether a front server may answer %.20s with %i: %s', (target, status, expected) => {
    expect(mayBeRefusedInFront({ target }, answer(status))).toBe(expected)
  })

  it('take a path with dot segments for the one without, and nothing else', () => {
    const paths = ['/a/b/../c/', '/a/./b/?x=../', '/a/b/..', '/%2E%2e/a', '/a/..%2fb/', '/a/b/?../']
    expect(paths.map(withoutDotSegments)).toEqual(['/a/c/', '/a/b/?x=../', '/a/', '/a', undefined, undefined])
  })

  it.each([
    ['https://a.example', 'https://a.example/api/', '/api/'],
    ['https://a.example/x', '/x/api/?q', '/api/?q'],
    ['https://a.example', 'https://b.example/api/', 'https://b.example/api/'],
    ['https://a.example/x', '/api/', '/api/ (not below https://a.example/x)'],
  ])('treat, below %s, the location %s as %s', (base, location, expected) => {
    expect(locationBelow(base, location)).toBe(expected)
  })
})
