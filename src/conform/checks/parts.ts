/** Byte ranges. Source: RFC 9110, 14: a server may answer with the whole document instead of a part, and with nothing else. */

import { checksOf, forEachExample, type CheckContext } from '../check.ts'
import type { HttpAnswer, HttpRequest } from '../client.ts'

/** The last two are beyond the end of every document, and in an unknown unit. */
const ranges = ['bytes=0-9', 'bytes=7-', 'bytes=-11', 'bytes=999999999-', 'lines=1-2']

export const partChecks = checksOf('http', {
  'gives the whole of a document, or exactly the part that was asked for': forEachExample(
    async (context, { target }) => {
      const { ask } = context
      const whole = await ask({ target })
      for (const range of ranges) {
        const asked = { target, headers: { range } }
        comparePart(context, asked, await ask(asked), whole)
      }
    },
  ),
  'gives the whole where the ETag that a part is asked for is another': forEachExample(
    async ({ ask, same }, { target }) => {
      const asked = { target, headers: { range: 'bytes=0-9', 'if-range': '"of another night"' } }
      const [answer, whole] = [await ask(asked), await ask({ target })]
      same(asked, 'status', answer.status, 200)
      same(asked, 'the same body:', answer.body.equals(whole.body), true)
    },
  ),
  'tells of the whole where a part is asked for by HEAD': forEachExample(
    async ({ ask, same }, { target }) => {
      const asked = { method: 'HEAD', target, headers: { range: 'bytes=0-9' } }
      const [answer, whole] = [await ask(asked), await ask({ target })]
      same(asked, 'status', answer.status, 200)
      same(asked, 'content-range', answer.headers.get('content-range') ?? 'absent', 'absent')
      const length = answer.headers.get('content-length')
      if (length !== undefined) same(asked, 'content-length', Number(length), whole.body.length)
    },
  ),
})

function comparePart(
  { same, fail }: CheckContext,
  asked: HttpRequest,
  answer: HttpAnswer,
  whole: HttpAnswer,
): void {
  const told = answer.headers.get('content-range') ?? 'absent'
  if (answer.status === 200) {
    same(asked, 'content-range', told, 'absent')
    same(asked, 'the same body:', answer.body.equals(whole.body), true)
  } else if (answer.status === 416) {
    same(asked, 'content-range', told, `bytes */${whole.body.length}`)
    if (!isBeyond(asked)) fail(asked, 'the whole, or its part', 'status 416')
  } else {
    same(asked, 'status', answer.status, 206)
    const [, first = '', last = ''] = /^bytes (\d+)-(\d+)\/\d+$/.exec(told) ?? []
    same(asked, 'content-range', told, `bytes ${first}-${last}/${whole.body.length}`)
    same(asked, 'content-range', `${first}-${last}`, boundsOf(asked, whole.body.length))
    same(asked, 'the part:', answer.body.equals(whole.body.subarray(Number(first), Number(last) + 1)), true)
  }
}

const isBeyond = ({ headers }: HttpRequest) => headers?.['range'] === 'bytes=999999999-'

/** The first and the last byte of a range; empty for a range without bytes. */
function boundsOf({ headers }: HttpRequest, length: number): string {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers?.['range'] ?? '') ?? []
  if (first === '') return last === '' ? '' : `${Math.max(0, length - Number(last))}-${length - 1}`
  return `${first}-${last === '' ? length - 1 : Math.min(Number(last), length - 1)}`
}
