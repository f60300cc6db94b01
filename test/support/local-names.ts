/**
 * Names that end in .localhost lead to this machine, as RFC 6761 has it and glibc does not: the SDK puts the account
 * before the host name of a KeyValueStore. Those in .test do, too, and look as if they did not. Imported, or given to a process by {@link withLocalNames}.
 */
import dns from 'node:dns'

const lookup = dns.lookup
const patched = (name: string, ...rest: unknown[]): void => {
  const host = /\.(localhost|test)$/.test(name) ? '127.0.0.1' : name
  ;(lookup as (...given: unknown[]) => void)(host, ...rest)
}
dns.lookup = patched as typeof dns.lookup

/** For the environment of a process. */
export const withLocalNames = { NODE_OPTIONS: `--import=${import.meta.url}` }
