/** Connections that carry what they are given, byte for byte. */

import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'

/** @param base http or https */
export function connectTo(base: string): Socket {
  const { protocol, hostname, port } = new URL(base)
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const place = { host, port: Number(port) || (isSecure ? 443 : 80) }
  // A server name is no address (RFC 6066, 3).
  const name = isIP(host) === 0 ? { servername: host } : {}
  return isSecure ? connectSecure({ ...place, ...name }) : connectPlain(place)
}

export interface Exchanged {
  /** What came back, in Latin-1; empty if the server closed the connection at once. */
  readonly text: string
  /** Whether the server did not close, and said nothing for the time that it was given. */
  readonly isSilent: boolean
}

/** Sends bytes (Latin-1) on a connection of their own, and reads until the server closes or is silent for `patienceMs`. */
export function exchange(base: string, bytes: string, patienceMs = 2000): Promise<Exchanged> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connectTo(base)
    const finish = (isSilent: boolean): void => {
      socket.destroy()
      resolve({ text: Buffer.concat(chunks).toString('latin1'), isSilent })
    }
    socket.setTimeout(patienceMs, () => finish(true))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => finish(false))
    socket.on('close', () => finish(false))
    socket.write(Buffer.from(bytes, 'latin1'))
  })
}
