/** Set up once for a run of the tests: the processes that are kept serve every file, whichever worker it runs in. */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { makeTempFolder } from './product.ts'
import type { Done, Order } from './warm-process.ts'
import { runInWarm } from './warm-processes.ts'

export type Reply = Done | { readonly error: string }

/** Where the server listens. */
export const addressVariable = 'FUNDPRESS_TEST_PROCESSES'

/** A connection is a command: its order as a line of JSON, and its end as another. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = makeTempFolder()
  const server = createServer((socket) => void serve(socket))
  server.listen(folder.file('socket'))
  await once(server, 'listening')
  process.env[addressVariable] = folder.file('socket')
  return async () => {
    Reflect.deleteProperty(process.env, addressVariable)
    server.close()
    await once(server, 'close')
    rmSync(folder.path, { recursive: true, force: true })
  }
}

async function serve(socket: Socket): Promise<void> {
  const gone = new AbortController()
  socket.on('close', () => {
    gone.abort()
  })
  socket.on('error', () => undefined)
  const [line] = (await once(createInterface(socket), 'line')) as [string]
  const reply: Reply = await runInWarm(JSON.parse(line) as Order, gone.signal).catch((error: unknown) => ({
    error: error instanceof Error ? error.message : String(error),
  }))
  socket.end(`${JSON.stringify(reply)}\n`)
}
