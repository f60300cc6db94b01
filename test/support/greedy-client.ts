/** A client that asks for as much as it can: many connections from one address, on each a request behind the other. */
import { Agent, request, type IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'

export interface GreedyOptions {
  readonly connections: number
  /** What is asked for, each time with the next number. */
  readonly target: (number: number) => string
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  /** The kernel takes all of 127.0.0.0/8 for this machine. */
  readonly localAddress?: string
}

/** Asks until it is stopped, and reads all that comes. */
export function greedyClient(base: string, options: GreedyOptions) {
  const { connections, target, headers = {}, method = 'GET', localAddress = '127.0.0.1' } = options
  const { hostname, port } = new URL(base)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  /** How often each status came; 0 stands for a connection that broke off. */
  const statuses = new Map<number, number>()
  let asked = 0
  let isOver = false

  const ask = (path: string) =>
    new Promise<number>((resolve) => {
      const broken = () => {
        resolve(0)
      }
      request({ agent, hostname, port, localAddress, method, path, headers }, (response: IncomingMessage) => {
        response.on('end', () => {
          resolve(response.statusCode ?? 0)
        })
        response.on('error', broken).resume()
      })
        .on('error', broken)
        .end()
    })
  const loop = async () => {
    while (!isOver) {
      const status = await ask(target(asked++))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // A server that refuses connections would else keep this process from everything.
      if (status === 0) await setTimeout(10)
    }
  }
  const loops = Array.from({ length: connections }, loop)
  return {
    statuses,
    stop: async () => {
      isOver = true
      agent.destroy()
      await Promise.all(loops)
    },
  }
}

/** One request from an address of this machine, on a connection of its own. The status is 0 if the connection broke off. */
export function askFrom(
  base: string,
  localAddress: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const { hostname, port } = new URL(base)
  const sent = request({ agent: false, hostname, port, localAddress, path, headers })
  const status = new Promise<number>((resolve) => {
    const broken = () => {
      resolve(0)
    }
    sent.on('error', broken).on('response', (response: IncomingMessage) => {
      response.on('error', broken).resume()
      response.on('end', () => {
        resolve(response.statusCode ?? 0)
      })
    })
  })
  sent.end()
  return {
    status,
    leave: () => {
      sent.destroy()
    },
  }
}
