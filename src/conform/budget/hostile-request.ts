/** What a request is that tries to cost a server more than it costs the client, and what such are made of. */

export interface BudgetPlace {
  /** A document that is there: `/api/v1/figures/<isin>/`. */
  readonly document: string
  /** A fund that is there. */
  readonly isin: string
  /** A page or file that takes byte ranges: `/docs/`. */
  readonly page: string
}

/** A request as it goes over the connection; every character is a byte. */
export interface RawRequest {
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
}

export interface HostileRequest {
  readonly name: string
  readonly why: string
  /** The target of the same request in good faith: what it costs, the hostile one may cost too. */
  readonly plain: string
  /** Whether a CDN may drop what makes it long: dot segments, cookies, options of the connection. */
  readonly mayShrink?: boolean
  /** A request whose line and headers have about `bytes` bytes. */
  readonly make: (bytes: number) => RawRequest
}

/** A request whose target grows, up to `bytes`. @param fill the target with so many bytes in place of none */
export function target(
  name: string,
  why: string,
  plain: string,
  fill: (bytes: number) => string,
): HostileRequest {
  const own = fill(0).length
  return { name, why, plain, make: (bytes) => ({ target: fill(Math.max(0, bytes - own)), headers: [] }) }
}

/** The same with the value of one header. */
export function header(
  name: string,
  why: string,
  plain: string,
  header_: string,
  fill: (bytes: number) => string,
): HostileRequest {
  const own = plain.length + header_.length + fill(0).length + 4
  return {
    name,
    why,
    plain,
    make: (bytes) => ({ target: plain, headers: [[header_, fill(Math.max(0, bytes - own))]] }),
  }
}

/** Exactly so many characters. */
export const filled = (piece: string, length: number) =>
  piece.repeat(Math.ceil(Math.max(0, length) / piece.length)).slice(0, Math.max(0, length))
