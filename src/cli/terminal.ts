/** What the program writes to: a stream, what it can show, and whether its reader is still there. */

import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { escapeInvisible } from '../source/printable.ts'
import { safeData, safeLines } from './safe-text.ts'
import { withoutSecrets } from './secrets.ts'

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green'

export interface Terminal {
  readonly isTerminal: boolean
  /** How many characters a line has; asked anew each time, since a window can be resized. */
  readonly columns: () => number
  /** Writes lines for people, whatever is in them: see `safe-text.ts`. */
  readonly write: (text: string) => void
  /** Writes one line for people that says what happened, behind the name of the program. */
  readonly tell: (message: string) => void
  /** Writes what a program reads, JSON or a script, with all of its text. */
  readonly data: (text: string) => void
  /** Puts a line in the place of that with the cursor, which has to be a terminal's. */
  readonly redraw: (line: string) => void
  /** Writes commands to the runner of a workflow: nothing else that is written there is one. */
  readonly command: (lines: string) => void
  /** The text in a style, or as it is where colour is not wanted. */
  readonly paint: (style: Style, text: string) => string
}

/** What the environment and the arguments want of it. */
export interface TerminalWish {
  /** --no-color was given. */
  readonly isRefused: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Only messages are written there, no data: passwords in addresses are left out. */
  readonly isForMessages?: boolean
}

export function openTerminal(stream: NodeJS.WriteStream, wish: TerminalWish): Terminal {
  // Missing where the stream is a file or a pipe, whatever the type says.
  const isTerminal = (stream.isTTY as boolean | undefined) ?? false
  const hasColour = isTerminal && mayColour(wish)
  const send = (text: string) => {
    if (stream.writable) stream.write(text)
  }
  const write = (text: string) => {
    // Before a line is cut: half of an address would not look like one.
    send(styled(safeLines(wish.isForMessages === true ? withoutSecrets(text) : text)))
  }
  return {
    isTerminal,
    // Some terminals have no size that they know of.
    columns: () => (isTerminal && stream.columns > 0 ? stream.columns : 80),
    write,
    tell: (message) => {
      write(`fundpress: ${escapeInvisible(message)}\n`)
    },
    data: (text) => {
      send(safeData(text))
    },
    redraw: (line) => {
      send(eraseLine + styled(safeLines(line)))
    },
    command: send,
    paint: (style, text) => (hasColour ? marked(style, text) : text),
  }
}

const eraseLine = '\r\u001b[K'

/** Nobody who fills a database knows it, and Unicode has no character U+FDD0: only `paint` makes a style. */
const mark = `\ufdd0${randomUUID()}`

function marked(style: Style, text: string): string {
  const [on = 0, off = 0] = inspect.colors[style] ?? []
  return `${mark}${on}m${text}${mark}${off}m`
}

/** What `cut` leaves at the end of a line, with what may be left of a mark before it. */
const wasCut = /(?:\ufdd0[0-9a-f-]*)?(… \([0-9,]+ bytes\))$/

/** With the codes of the terminal in the place of the marks; a line that was cut has no style beyond its end. */
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

/** Lets `fundpress … | head` end quietly: what is written after the reader has left is dropped. */
export function ignoreClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

/** Source: no-color.org, a variable that is set and not empty refuses colour. */
function mayColour({ isRefused, environment }: TerminalWish): boolean {
  return !isRefused && (environment.NO_COLOR ?? '') === '' && environment.TERM !== 'dumb'
}
