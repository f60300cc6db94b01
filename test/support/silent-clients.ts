/** Clients that ask and do not read, each group at an address of its own: the kernel takes all of 127.0.0.0/8 for here. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** @param text what each of them writes @param perAddress how many share an address; the first one is 127.0.1.1 */
export async function silentClients(base: string, count: number, text: string, perAddress = 20) {
  const sockets: Socket[] = []
  for (let client = 0; client < count; client++) {
    const localAddress = `127.0.1.${1 + Math.floor(client / perAddress)}`
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(base).port), localAddress })
    socket.on('error', () => undefined).pause()
    await once(socket, 'connect')
    socket.write(text)
    sockets.push(socket)
  }
  const leave = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const [first] = sockets
  if (first === undefined) throw new Error('no client')
  return { first, leave }
}

export const getOf = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`
