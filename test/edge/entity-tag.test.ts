/** ETags of a store that does not give them as HTTP has them. */
import { expect, it } from 'vitest'
import { slotStore } from '../../src/core/edge/node/bucket.ts'

const large = 300_000

/** The reader of a bucket with two objects, and the ETags with which it was asked for parts. */
function storeWith(etag: string) {
  const asked: (string | null)[] = []
  const lastModified = new Date('2026-11-20T01:00:00Z')
  const store = slotStore((key) => key, lastModified, {
    read: (key) =>
      Promise.resolve(
        key === 'large'
          ? { length: large, body: null, etag, lastModified }
          : { length: 2, body: Buffer.from('{}'), etag, lastModified },
      ),
    readPart: (_key, { first, last }, ifMatch) => {
      asked.push(ifMatch)
      return Promise.resolve([new Uint8Array(last - first + 1)])
    },
  })
  return { store, asked }
}

it.each([
  ['"3978a0"', '"3978a0"'],
  ['3978a0', '"3978a0"'],
  ['W/"3978a0"', '"3978a0"'],
  ['W/3978a0', '"3978a0"'],
  ['"3978a0-2"', '"3978a0-2"'],
  ['a b"c\u00e4', '"a_bc_"'],
])('gives out the ETag %s as %s, and asks the store with its own', async (own, given) => {
  const { store, asked } = storeWith(own)
  expect((await store.get('small'))?.etag).toBe(given)
  const object = await store.get('large')
  expect(object?.etag).toBe(given)
  const { body } = object ?? {}
  if (body === undefined || Buffer.isBuffer(body)) throw new Error('no large body')
  for await (const chunk of body.read({ first: 0, last: 9 })) expect(chunk).toBeDefined()
  expect(asked).toEqual([own])
})
