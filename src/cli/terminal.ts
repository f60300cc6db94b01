/** What the program writes to: a stream, what it can show, and whether its reader is still there. */

import { styleText } from 'node:util'
import { withoutSecrets } from './secrets.ts'
import { isInWorkflow, withoutCommands } from './workflow-commands.ts'

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green'

export interface Terminal {
  readonly isTerminal: boolean
  /** How many characters a line has; asked anew each time, since a window can be resized. */
  readonly columns: () => number
  readonly write: (text: string) => void
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
  const isRead = isInWorkflow(wish.environment)
  const write = (text: string) => {
    if (stream.writable) stream.write(text)
  }
  return {
    isTerminal,
    // Some terminals have no size that they know of.
    columns: () => (isTerminal && stream.columns > 0 ? stream.columns : 80),
    write: (text) => {
      const shown = wish.isForMessages === true ? withoutSecrets(text) : text
      write(isRead ? withoutCommands(shown) : shown)
    },
    command: write,
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
function mayColour({ isRefused, environment }: TerminalWish): boolean {
  return !isRefused && (environment.NO_COLOR ?? '') === '' && environment.TERM !== 'dumb'
}
