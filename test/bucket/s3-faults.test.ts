/** The faults of the S3 server of the tests, and the proxy that brings such faults to any server. */
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFaultProxy, type FaultProxy, type Mishap } from '../support/s3/fault-proxy.ts'
import { Bucket, startProbe } from '../support/s3/probe.ts'

const probe = startProbe()
const { put, get, has } = probe
const refusal = (httpStatusCode: number, name: string) => ({ name, $metadata: { httpStatusCode } })

describe('the server', () => {
  it('answers with an error or cuts the connection, before or after it carries a request out', async () => {
    probe.server.faults([
      { kind: 'status', status: 503, keyMatches: /1/ },
      { kind: 'status-after', status: 409, keyMatches: /2/ },
      { kind: 'cut-before', keyMatches: /3/ },
      { kind: 'cut-after', keyMatches: /4/ },
    ])
    await expect(put('1')).rejects.toMatchObject(refusal(503, 'SlowDown'))
    await expect(put('2')).rejects.toMatchObject(refusal(409, 'ConditionalRequestConflict'))
    for (const key of ['3', '4']) await expect(put(key)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect([...probe.server.objects(Bucket).keys()]).toEqual(['2', '4'])
    expect(probe.server.log.map(({ status, faults }) => [status, ...faults])).toEqual([
      [503, 'status'],
      [409, 'status-after'],
      [0, 'cut-before'],
      [0, 'cut-after'],
    ])
    expect(probe.server.counts()).toEqual({ PutObject: 4 })
  })

  it('restores an earlier state, and carries out no request that was on its way', async () => {
    await put('old')
    const saved = probe.server.snapshot().get(Bucket) ?? new Map()
    const arrived = Promise.withResolvers<undefined>()
    const held = Promise.withResolvers<undefined>()
    const run = () => {
      arrived.resolve(undefined)
      return held.promise
    }
    probe.server.faults([{ kind: 'call', when: 'before', keyMatches: /late/, run }])
    const late = put('late')
    await arrived.promise
    probe.server.remove(Bucket, 'old')
    probe.server.reset()
    probe.server.restore(Bucket, saved)
    held.resolve(undefined)
    await expect(late).rejects.toThrow()
    expect([...probe.server.objects(Bucket)]).toEqual([...saved])
    expect(probe.server.log).toEqual([])
  })

  it('ends a request in the middle of its body, with an answer or without', async () => {
    probe.server.faults([
      { kind: 'status-early', status: 503, keyMatches: /refused/, times: 1 },
      { kind: 'cut-early', keyMatches: /cut/, times: 1 },
    ])
    // The answer may come before the connection ends, or be lost with it.
    await expect(put('refused', 'x'.repeat(2 ** 24))).rejects.toMatchObject({
      name: expect.stringMatching(/^(SlowDown|TimeoutError)$/) as string,
    })
    await expect(put('cut', 'x'.repeat(2 ** 24))).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(probe.server.log.map(({ status, body }) => `${status} ${body.length}`)).toEqual(['503 0', '0 0'])
    expect(probe.server.objects(Bucket).size).toBe(0)
  })

  it('truncates and corrupts answers, and omits their length', async () => {
    probe.server.put(Bucket, 'key', 'abcdefgh')
    probe.server.faults([
      { kind: 'truncate', method: 'GET', nth: 1 },
      { kind: 'corrupt', method: 'GET', times: 1 },
      { kind: 'chunked', method: 'GET', times: 1 },
    ])
    await expect(get('key')).rejects.toThrow('aborted')
    expect(String(await get('key'))).toBe('abcddfgh')
    const got = await probe.client.send(new GetObjectCommand({ Bucket, Key: 'key' }))
    expect([got.ContentLength, await got.Body?.transformToString()]).toEqual([undefined, 'abcdefgh'])
    expect(String(await get('key'))).toBe('abcdefgh')
  })

  it('waits, and calls the test before and after a request', async () => {
    const seen: boolean[] = []
    probe.server.faults([
      { kind: 'call', when: 'before', run: () => seen.push(has('key')) },
      { kind: 'call', when: 'after', run: () => seen.push(has('key')) },
      { kind: 'delay', ms: 50 },
    ])
    const start = performance.now()
    await put('key')
    expect(performance.now() - start).toBeGreaterThan(45)
    expect(seen).toEqual([false, true])
  })

  it('fails at random, in the same way for the same seed', async () => {
    const run = async (): Promise<number[]> => {
      probe.server.reset()
      probe.server.faults([{ kind: 'status', status: 500, probability: 0.3 }], 7)
      for (let turn = 0; turn < 20; turn++) await put('key').catch(() => undefined)
      return probe.server.log.map(({ status }) => status)
    }
    const statuses = await run()
    expect(new Set(statuses)).toEqual(new Set([200, 500]))
    expect(await run()).toEqual(statuses)
  })

  it('denies what the settings say, and does not say which key is missing to a reader without the right to list', async () => {
    probe.server.settings.deny = [{ operation: /^Put/, key: /^closed\// }, { operation: /^ListObjectsV2$/ }]
    await put('open')
    await expect(put('closed/1')).rejects.toMatchObject({ name: 'AccessDenied' })
    await expect(get('absent')).rejects.toMatchObject({ name: 'AccessDenied' })
    expect(probe.server.log.map(({ method, key, status }) => `${method} ${key} ${status}`)).toEqual([
      'PUT open 200',
      'PUT closed/1 403',
      'GET absent 403',
    ])
  })
})

describe('the proxy', () => {
  let proxy: FaultProxy
  let through: S3Client
  beforeAll(async () => {
    proxy = await startFaultProxy(probe.server.endpoint, 1)
    through = probe.connect({ endpoint: proxy.endpoint })
  })
  afterAll(() => proxy.stop())

  it('lets signed requests through as they are', async () => {
    proxy.set({})
    await put('é (1)', 'body', {}, through)
    expect(String(await get('é (1)', through))).toBe('body')
  })

  // What reached the server, and whether the put was carried out.
  it.each<[Mishap, number, boolean]>([
    ['status', 0, false],
    ['cutBefore', 0, false],
    ['cutRequest', 1, false],
    ['cutAfter', 1, true],
  ])('spoils a put by %s', async (mishap, requests, isDone) => {
    proxy.set({ [mishap]: 1 })
    await expect(put('key', 'body', {}, through)).rejects.toThrow()
    await expect.poll(() => probe.server.log.length).toBe(requests)
    expect(has('key')).toBe(isDone)
  })

  it.each<Mishap>(['cutAnswer', 'truncate'])('spoils a get by %s', async (mishap) => {
    probe.server.put(Bucket, 'key', 'x'.repeat(5000))
    proxy.set({ [mishap]: 1 })
    await expect(get('key', through)).rejects.toThrow()
  })

  it('spoils as many requests as the odds say', async () => {
    const before = proxy.counts.through
    proxy.set({ status: 0.1, cutBefore: 0.1, cutAfter: 0.1, delay: 0.01 })
    for (let turn = 0; turn < 100; turn++) await put('key', 'body', {}, through).catch(() => undefined)
    expect(proxy.counts.through - before).toBeGreaterThan(50)
    expect(proxy.counts.through - before).toBeLessThan(90)
  })
})
