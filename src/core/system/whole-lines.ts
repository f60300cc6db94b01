/** Cuts a text that comes in pieces behind its last line feeds: each result is whole lines. ASCII. */
export async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const text = rest + chunk.toString('latin1')
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) yield text.slice(0, end)
    rest = text.slice(end)
  }
}
