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
  const stdout = collector()
  const stderr = collector()
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
    stdout: stdout.stream,
    stderr: stderr.stream,
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collector(): { readonly stream: NodeJS.WriteStream; readonly text: () => string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk)
      done()
    },
  })
  // A pipe, as far as the program can see: it asks for nothing that only a terminal has.
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => Buffer.concat(chunks).toString() }
}
