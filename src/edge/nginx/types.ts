/**
 * The part of the API of njs, nginx's JavaScript, that the edge uses, as in Debian's version 0.7.9.
 * Source: https://nginx.org/en/docs/njs/reference.html
 */

export interface NjsRequest {
  readonly method: string
  /** Decoded and normalised: of an internal location this is what the edge itself asked for. */
  readonly uri: string
  /** The query's parameters. */
  readonly args: Readonly<Record<string, string | undefined>>
  readonly headersIn: Readonly<Record<string, string | undefined>>
  readonly headersOut: Record<string, string | undefined>
  readonly variables: Record<string, string | undefined>
  status: number
  /** Not for redirects, whose text would become a Location, and not for an empty body, which nginx would replace. */
  readonly return: (status: number, body: string | Uint8Array) => void
  readonly sendHeader: () => void
  readonly finish: () => void
  /** To a path, or to a location by its name. */
  readonly internalRedirect: (target: string) => void
  readonly subrequest: (uri: string, options: { readonly args?: string }) => Promise<NjsReply>
  /** Into the error log. */
  readonly error: (message: string) => void
}

export interface NjsReply {
  readonly status: number
  readonly headersOut: Readonly<Record<string, string | undefined>>
  /** Undefined where there is none. */
  readonly responseBuffer: Buffer | undefined
}

/** The modules that a bundle cannot import: its last line passes them on. */
export interface NjsModules {
  readonly fs: {
    readonly readFileSync: (path: string) => Buffer
    readonly readdirSync: (path: string) => string[]
    readonly realpathSync: (path: string) => string
    readonly statSync: (path: string) => NjsStat
    readonly lstatSync: (path: string) => NjsStat
    /** For reading. */
    readonly openSync: (path: string) => number
    readonly closeSync: (file: number) => void
    /** @returns how many bytes were read */
    readonly readSync: (file: number, to: Buffer, at: number, length: number, position: number) => number
  }
  readonly crypto: {
    readonly createHash: (algorithm: 'md5' | 'sha256') => NjsDigest
    readonly createHmac: (algorithm: 'sha256', key: string | Buffer) => NjsDigest
  }
  /** Empty but for what `env` lines of nginx's configuration let through. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface NjsStat {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
  readonly isFile: () => boolean
  readonly isSymbolicLink: () => boolean
}

interface NjsDigest {
  readonly update: (piece: string | Buffer) => NjsDigest
  readonly digest: ((encoding: 'hex') => string) & (() => Buffer)
}
