/** Byte ranges. Source: RFC 9110, 14: a server may answer with the whole document instead of a part, and with nothing else. */

import { exampleChecksOf, type CheckContext } from '../check.ts'
import type { HttpAnswer } from '../client.ts'

const beyond = 'bytes=999999999-'

/** The last two are beyond the end of every document, and in an unknown unit. */
const ranges = ['bytes=0-9', 'bytes=7-', 'bytes=-11', beyond, 'lines=1-2']

export const partChecks = exampleChecksOf('http', {
  'gives the whole of a document, or exactly the part that was asked for': async (context, { target }) => {
    const whole = await context.ask({ target })
    for (const range of ranges) await comparePart(context, target, range, whole)
  },
  'gives the whole where the ETag that a part is asked for is another': async ({ ask, same }, { target }) => {
    const asked = { target, headers: { range: 'bytes=0-9', 'if-range': '"another snapshot"' } }
    const [{ body }, whole] = [await ask(asked, 200), await ask({ target })]
    same(asked, 'the same body:', body.equals(whole.body), true)
  },
  'tells of the whole where a part is asked for by HEAD': async ({ ask, same }, { target }) => {
    const asked = { method: 'HEAD', target, headers: { range: 'bytes=0-9' } }
    const [{ headers }, whole] = [await ask(asked, 200), await ask({ target })]
    same(asked, 'content-range', headers.get('content-range'), undefined)
    const length = headers.get('content-length')
    if (length !== undefined) same(asked, 'content-length', Number(length), whole.body.length)
  },
})

async function comparePart(context: CheckContext, target: string, range: string, whole: HttpAnswer) {
  const { ask, same, fail } = context
  const asked = { target, headers: { range } }
  const { status, headers, body } = await ask(asked)
  const told = headers.get('content-range')
  const { length } = whole.body
  if (status === 200) {
    same(asked, 'content-range', told, undefined)
    same(asked, 'the same body:', body.equals(whole.body), true)
  } else if (status === 416) {
    same(asked, 'content-range', told, `bytes */${length}`)
    if (range !== beyond) fail(asked, 'the whole, or its part', 'status 416')
  } else {
    same(asked, 'status', status, 206)
    const [first, last] = boundsOf(range, length)
    same(asked, 'content-range', told, `bytes ${first}-${last}/${length}`)
    same(asked, 'the part:', body.equals(whole.body.subarray(first, last + 1)), true)
  }
}

/** The first and the last byte of a range; -1 for a range that is none of bytes. */
function boundsOf(range: string, length: number): [first: number, last: number] {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? []
  if (first === '') return last === '' ? [-1, -1] : [Math.max(0, length - Number(last)), length - 1]
  return [Number(first), last === '' ? length - 1 : Math.min(Number(last), length - 1)]
}
