/** A process that runs one command of the product after the other, as its parent sends them. */
import { enableCompileCache } from 'node:module'
import { Writable } from 'node:stream'

/** What a command is given by its surroundings, all of it. */
export interface Order {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Done {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The same, in the order in which it was written. */
  readonly said: readonly Piece[]
}

export interface Piece {
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

enableCompileCache()
const { run } = await import('../../src/core/cli/run.ts')
const { extensions } = await import('../../src/extensions.ts')
const { startKept } = await import('./kept-threads.ts')
const { todayInBerlin } = await import('../../src/core/guards/clock.ts')

process.on('message', (order: Order) => void carryOut(order).then((done) => process.send?.(done)))
process.on('disconnect', () => process.exit())
process.send?.('ready')

async function carryOut({ args, cwd, env }: Order): Promise<Done> {
  for (const name of Object.keys(process.env))
    if (env[name] === undefined) Reflect.deleteProperty(process.env, name)
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value
  process.chdir(cwd)
  const said: Piece[] = []
  const code = await run(args, {
    extensions,
    environment: { ...process.env },
    // A thread takes longer to start than to render what a test has; those that are about threads name their number.
    cores: 1,
    today: todayInBerlin(new Date()),
    signal: new AbortController().signal,
    now: () => new Date(),
    clock: () => performance.now(),
    startThread: startKept,
    stdout: collector('stdout', said),
    stderr: collector('stderr', said),
  })
  return { code, stdout: textOf('stdout', said), stderr: textOf('stderr', said), said }
}

const textOf = (stream: Piece['stream'], said: readonly Piece[]) =>
  said.flatMap((piece) => (piece.stream === stream ? [piece.text] : [])).join('')

function collector(stream: Piece['stream'], said: Piece[]): NodeJS.WriteStream {
  const writable = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      said.push({ stream, text: chunk.toString() })
      done()
    },
  })
  // A pipe, as far as the program can see: it asks for nothing that only a terminal has.
  return writable as unknown as NodeJS.WriteStream
}
