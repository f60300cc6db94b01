/** The streams that the program writes to: text for people, data for programs, and colours. */

import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { escapeInvisible } from '../data/model/printable.ts'
import { safeData, safeLines, withoutSecrets } from './safe-text.ts'

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green'

export type Terminal = ReturnType<typeof openTerminal>
export type Paint = Terminal['paint']

interface TerminalWish {
  readonly isRefused: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Removes passwords from addresses: the stream gets messages, no data. */
  readonly isForMessages?: boolean
}

export function openTerminal(stream: NodeJS.WriteStream, wish: TerminalWish) {
  // A file or a pipe has no isTTY, although the type says so.
  const isTerminal = (stream.isTTY as boolean | undefined) ?? false
  const hasColour = isTerminal && mayColour(wish)
  const send = (text: string) => {
    if (stream.writable) stream.write(text)
  }
  const write = (text: string) => {
    // Removes secrets before lines are cut: half of an address is not recognised.
    send(styled(safeLines(wish.isForMessages === true ? withoutSecrets(text) : text)))
  }
  return {
    isTerminal,
    /** Characters of a line: a function, because a window can be resized. Some terminals do not know their size. */
    columns: () => (isTerminal && stream.columns > 0 ? stream.columns : 80),
    /** Writes lines for people, made safe by `safe-text.ts`. */
    write,
    /** Writes one line for people, after the name of the program. */
    tell: (message: string) => write(`fundpress: ${escapeInvisible(message)}\n`),
    /** Writes JSON or a script, uncut. */
    data: (text: string) => send(safeData(text)),
    /** Replaces the line with the cursor. Only for terminals. */
    redraw: (line: string) => send(eraseLine + styled(safeLines(line))),
    /** Writes commands for the runner of a workflow, unescaped. */
    command: send,
    paint: (style: Style, text: string) => (hasColour ? marked(style, text) : text),
  }
}

const eraseLine = '\r\u001b[K'

/** Text from a database cannot contain this mark, so only `paint` makes a style. U+FDD0 is not a Unicode character. */
const mark = `\ufdd0${randomUUID()}`

function marked(style: Style, text: string): string {
  const [on = 0, off = 0] = inspect.colors[style] ?? []
  return `${mark}${on}m${text}${mark}${off}m`
}

/** The note that `cut` leaves at the end of a line, after what is left of a mark. */
const wasCut = /(?:\ufdd0[0-9a-f-]*)?(… \([0-9,]+ bytes\))$/

/** Replaces the marks by the codes of the terminal. The style of a line that was cut ends with the line. */
function styled(text: string): string {
  if (!text.includes(mark)) return text
  return text
    .split('\n')
    .map((line) => {
      const whole = line.replaceAll(mark, '\u001b[')
      return wasCut.test(whole) ? `${whole.replace(wasCut, '$1')}\u001b[0m` : whole
    })
    .join('\n')
}

/** Lets `fundpress … | head` end quietly: output without a reader is dropped. */
export function ignoreClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

/** Source: no-color.org. A variable that is set and not empty refuses colours. */
function mayColour({ isRefused, environment }: TerminalWish): boolean {
  return !isRefused && (environment.NO_COLOR ?? '') === '' && environment.TERM !== 'dumb'
}
