/** The end of a text that grows line by line, in bounded memory. */

/** @param most bytes of UTF-8; a line that is longer leaves nothing */
export function lastLines(most: number) {
  const lines: string[] = []
  let bytes = 0
  return {
    /** @param line without its line feed */
    add: (line: string) => {
      lines.push(line)
      bytes += sizeOf(line)
      while (bytes > most) bytes -= sizeOf(lines.shift() ?? '')
    },
    /** Each line ends with a line feed. */
    text: () => lines.map((line) => `${line}\n`).join(''),
  }
}

const sizeOf = (line: string) => Buffer.byteLength(line) + 1
