/** Starts a server, with an error that says what is in the way. */

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** @returns the address to put into a browser: `http://127.0.0.1:8080` @throws {Error} if the port cannot be had */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason: Readonly<Record<string, string>> = {
        EADDRINUSE: 'another program listens there: choose another --port (0: any free one)',
        EACCES: 'no right to listen there: choose a --port above 1023',
        EADDRNOTAVAIL: 'this machine has no such address: choose another --host',
        ENOTFOUND: 'there is no such host: choose another --host',
      }
      const known = reason[error.code ?? '']
      reject(known === undefined ? error : new Error(`${host} port ${port}: ${known}`, { cause: error }))
    })
    server.listen(port, host, resolve)
  })
  const { address, family, port: actual } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`
}
