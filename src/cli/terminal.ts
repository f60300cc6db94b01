/** What the program writes to: a stream, what it can show, and whether its reader is still there. */

import { styleText } from 'node:util'

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green'

export interface Terminal {
  readonly isTerminal: boolean
  /** How many characters a line has; asked anew each time, since a window can be resized. */
  readonly columns: () => number
  readonly write: (text: string) => void
  /** The text in a style, or as it is where colour is not wanted. */
  readonly paint: (style: Style, text: string) => string
}

export interface ColourWish {
  /** --no-color was given. */
  readonly isRefused: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
}

export function openTerminal(stream: NodeJS.WriteStream, wish: ColourWish): Terminal {
  // Missing where the stream is a file or a pipe, whatever the type says.
  const isTerminal = (stream.isTTY as boolean | undefined) ?? false
  const hasColour = isTerminal && mayColour(wish)
  return {
    isTerminal,
    // Some terminals have no size that they know of.
    columns: () => (isTerminal && stream.columns > 0 ? stream.columns : 80),
    write: (text) => {
      if (stream.writable) stream.write(text)
    },
    paint: (style, text) => (hasColour ? styleText(style, text, { validateStream: false }) : text),
  }
}

/** Lets `fundpress … | head` end quietly: what is written after the reader has left is dropped. */
export function ignoreClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

/** Source: no-color.org, a variable that is set and not empty refuses colour. */
function mayColour({ isRefused, environment }: ColourWish): boolean {
  return !isRefused && (environment.NO_COLOR ?? '') === '' && environment.TERM !== 'dumb'
}
