/** Bytes that are no HTTP request, written to a connection of their own. */

import { connect as connectPlain, isIP } from 'node:net'
import { connect as connectSecure } from 'node:tls'

export const garbage: readonly string[] = [
  'HELO conform.example\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n',
  'GET /api/v1/ figures/ HTTP/1.1\r\nHost: a\r\n\r\n',
  `${'\u0000\u00ff'.repeat(2000)}\r\n\r\n`,
]

/** What comes back until the server closes, or is silent for `patienceMs`; Latin-1. Empty where it closes at once. */
export function exchange(base: string, bytes: string, patienceMs = 2000): Promise<string> {
  const { protocol, hostname, port } = new URL(base)
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const place = { host, port: Number(port) || (isSecure ? 443 : 80) }
  // A server name is no address (RFC 6066, 3).
  const name = isIP(host) === 0 ? { servername: host } : {}
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = isSecure ? connectSecure({ ...place, ...name }) : connectPlain(place)
    const finish = (): void => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    socket.setTimeout(patienceMs, finish)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', finish)
    socket.on('close', finish)
    socket.write(Buffer.from(bytes, 'latin1'))
  })
}
