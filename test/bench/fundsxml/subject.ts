/**
 * A pass over a FundsXML file in a process of its own: by the bare parser, whose events are counted, or by the reader, whose rows
 * are counted instead of being checked and staged.
 *
 *     node test/bench/fundsxml/subject.ts bare|reader <file>
 */

import { createReadStream } from 'node:fs'
import { Parser } from 'saxen'
import { fundsxml } from '../../../src/extensions/import/readers/fundsxml/fundsxml.ts'
import type { FileStart, ReadOptions } from '../../../src/extensions/import/readers/reader.ts'

const [what, file = ''] = process.argv.slice(2)
let count = 0
const counting = () => {
  count++
}

if (what === 'bare') {
  const parser = new Parser()
  parser.on('openTag', counting).on('closeTag', counting).on('text', counting)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const chunks: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: 1 << 18 })
  for await (const chunk of chunks) parser.write(decoder.decode(chunk, { stream: true }))
  parser.end()
} else {
  const sink = {
    row: counting,
    part: counting,
    gone: counting,
    spoilt: counting,
    rowsOf: () => counting,
    leftOut: counting,
    bytes: () => undefined,
    bad: (place: unknown, reasons: readonly string[]) => {
      throw new Error(`${String(place)}: ${reasons.join(', ')}`)
    },
  }
  await fundsxml.read({ file } as FileStart, sink, {} as ReadOptions)
}
process.stdout.write(String(count))
