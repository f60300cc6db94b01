/** Whose request it is, as limits count clients. */
import { expect, it } from 'vitest'
import { clientsBehind } from '../../src/core/edge/node/client.ts'

const clientOf = (trusted: string | null, remoteAddress: string, forwarded?: string) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return clientsBehind(trusted)({ socket: { remoteAddress }, headers })
}

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('counts %s as %s', (address, client) => {
  expect(clientOf(null, address)).toBe(client)
})

it.each([
  ['no header, if no proxy is trusted', null, '127.0.0.1', '192.0.2.1', '127.0.0.1'],
  ['no header of another one than the proxy', '10.0.0.1', '127.0.0.1', '192.0.2.1', '127.0.0.1'],
  [
    'the last entry, which the proxy has added',
    '127.0.0.1',
    '127.0.0.1',
    '198.51.100.1, 192.0.2.1',
    '192.0.2.1',
  ],
  [
    'the last one that is no proxy',
    '127.0.0.1 10.0.0.0/8',
    '127.0.0.1',
    '6.6.6.6, 192.0.2.1, 10.9.8.7',
    '192.0.2.1',
  ],
  ['the proxy, if it names nobody', '127.0.0.1', '127.0.0.1', undefined, '127.0.0.1'],
  ['the proxy, if what it names is no address', '127.0.0.1', '127.0.0.1', '192.0.2.1, unknown', '127.0.0.1'],
  [
    'the first proxy, if there are only proxies',
    '127.0.0.1 10.0.0.0/8',
    '127.0.0.1',
    '10.0.0.3, 10.0.0.4',
    '10.0.0.3',
  ],
  ['an entry with a port', '127.0.0.1', '127.0.0.1', '192.0.2.1:4711', '192.0.2.1'],
  ['an IPv6 entry in brackets', '127.0.0.1', '127.0.0.1', '[2001:db8::5]:4711', '2001:db8:0:0::/64'],
  ['an entry of IPv4 written as IPv6', '127.0.0.1', '::ffff:127.0.0.1', '::ffff:192.0.2.1', '192.0.2.1'],
  ['the client behind a proxy with IPv6', '2001:db8:f::/48', '2001:db8:f:1::2', '192.0.2.1', '192.0.2.1'],
] as const)('believes %s', (_, trusted, remoteAddress, forwarded, client) => {
  expect(clientOf(trusted, remoteAddress, forwarded)).toBe(client)
})
