/** Runs a command in one of the processes that the whole run of the tests keeps, or this process does if there is none. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Done, Order } from './warm-process.ts'
import { runInWarm } from './warm-processes.ts'
import { addressVariable, type Reply } from './warm-server.ts'

/** @throws {Error} if it takes its process down */
export async function runWarm(order: Order): Promise<Done> {
  const address = process.env[addressVariable]
  if (address === undefined) return runInWarm(order)
  const socket = connect(address)
  await once(socket, 'connect')
  socket.write(`${JSON.stringify(order)}\n`)
  const reply = JSON.parse(await text(socket)) as Reply
  if ('error' in reply) throw new Error(reply.error)
  return reply
}
