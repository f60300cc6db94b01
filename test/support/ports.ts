/** Ports for servers that cannot choose one themselves, or come back at the same one. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ListenOptions, type Server } from 'node:net'

/**
 * @returns a port that is free, and so is the next one: nginx asks itself there for the parts of a range. Another process of tests on
 * this machine does not get it, so it may be opened later, or closed and opened again.
 */
export async function freePorts(): Promise<number> {
  for (;;) {
    // Below the ports that systems hand out by themselves: else a connection could take one before the program does.
    const port = 10_000 + 2 * randomInt(11_000)
    if (!(await isOurs(port))) continue
    const servers = await Promise.all([port, port + 1].map((one) => listenOn(one).catch(() => undefined)))
    for (const server of servers) if (server !== undefined) await once(server.close(), 'close')
    if (!servers.includes(undefined)) return port
  }
}

/** A name of Linux, which a process can have only alone, and as long as it lives, stands for the port. */
const isOurs = async (port: number): Promise<boolean> =>
  process.platform !== 'linux' ||
  listenAt({ path: `\0fundpress-test-${port}` }).then(
    (server) => server.unref().listening,
    () => false,
  )

const listenOn = (port: number) => listenAt({ port, host: '127.0.0.1' })

async function listenAt(place: ListenOptions): Promise<Server> {
  const server = createServer().listen(place)
  await once(server, 'listening')
  return server
}
