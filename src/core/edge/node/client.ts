/** Who asks: the client of a request, as limits count it. */

import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net'

/** Names the client of a request: its address, or the /64 of an IPv6 address, which one client has as a whole. */
export type ClientOf = (request: Asked) => string

interface Asked {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: IncomingMessage['headers']
}

/**
 * No header names the client, unless a trusted proxy sends it. Then the client is the last entry of `X-Forwarded-For` that is no
 * trusted proxy itself: what stands before it is the client's own word.
 * @param trusted addresses and networks of proxies, separated by spaces; null: none
 */
export function clientsBehind(trusted: string | null): ClientOf {
  const proxies = new BlockList()
  for (const place of trusted?.split(' ') ?? []) {
    const [address = '', bits] = place.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    proxies.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  const isTrusted = (address: string) => proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

  return ({ socket, headers }) => {
    let client = plainAddress(socket.remoteAddress ?? '') ?? ''
    if (trusted === null || client === '' || !isTrusted(client)) return clientAt(client)
    // Node joins several lines.
    const entries = String(headers['x-forwarded-for'] ?? '').split(',')
    for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
      const address = plainAddress(entry.trim())
      // Whatever stands further left was written by an unknown one.
      if (address === null) break
      client = address
      if (!isTrusted(address)) break
    }
    return clientAt(client)
  }
}

/** Without its port and zone, and an IPv4 address that is written as IPv6 as IPv4. @returns null for what is no address */
function plainAddress(text: string): string | null {
  if (isIPv4(text)) return text
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  const [bare = ''] = (inBrackets ?? beforePort ?? text).split('%')
  if (isIP(bare) === 0) return null
  if (isIPv4(bare)) return bare
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' })
  const mapped = address.replace(/^::ffff:/, '')
  return isIPv4(mapped) ? mapped : address
}

/** @param address in its usual form, as `SocketAddress` gives it */
function clientAt(address: string): string {
  if (!address.includes(':')) return address
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}
