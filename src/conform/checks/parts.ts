/** Ranges of bytes. Source: RFC 9110, 14: whoever is asked for a part may give the whole, and nothing else. */

import type { Check, Context } from '../check.ts'
import type { Answer, Asked } from '../client.ts'

/** The last two are beyond any document, and of no unit that there is. */
const ranges = ['bytes=0-9', 'bytes=7-', 'bytes=-11', 'bytes=999999999-', 'lines=1-2']

export const partChecks: readonly Check[] = [
  {
    group: 'http',
    name: 'gives the whole of a document, or exactly the part that was asked for',
    run: async (context) => {
      const { examples, each, ask } = context
      await each(examples, async ({ target }) => {
        const whole = await ask({ target })
        for (const range of ranges) {
          const asked = { target, headers: { range } }
          comparePart(context, asked, await ask(asked), whole)
        }
      })
    },
  },
  {
    group: 'http',
    name: 'gives the whole where the ETag that a part is asked for is another',
    run: async ({ examples, each, ask, same }) => {
      await each(examples, async ({ target }) => {
        const asked = { target, headers: { range: 'bytes=0-9', 'if-range': '"of another night"' } }
        const [answer, whole] = [await ask(asked), await ask({ target })]
        same(asked, 'status', answer.status, 200)
        same(asked, 'the same body:', answer.body.equals(whole.body), true)
      })
    },
  },
  {
    group: 'http',
    name: 'tells of the whole where a part is asked for by HEAD',
    run: async ({ examples, each, ask, same }) => {
      await each(examples, async ({ target }) => {
        const asked = { method: 'HEAD', target, headers: { range: 'bytes=0-9' } }
        const [answer, whole] = [await ask(asked), await ask({ target })]
        same(asked, 'status', answer.status, 200)
        same(asked, 'content-range', answer.headers.get('content-range') ?? 'absent', 'absent')
        const length = answer.headers.get('content-length')
        if (length !== undefined) same(asked, 'content-length', Number(length), whole.body.length)
      })
    },
  },
]

function comparePart({ same, fail }: Context, asked: Asked, answer: Answer, whole: Answer): void {
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

const isBeyond = ({ headers }: Asked) => headers?.['range'] === 'bytes=999999999-'

/** The first and the last byte that a range means; empty for one that means none. */
function boundsOf({ headers }: Asked, length: number): string {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers?.['range'] ?? '') ?? []
  if (first === '') return last === '' ? '' : `${Math.max(0, length - Number(last))}-${length - 1}`
  return `${first}-${last === '' ? length - 1 : Math.min(Number(last), length - 1)}`
}
