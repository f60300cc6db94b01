/**
 * Signatures of files that `ssh-keygen -Y verify` checks, with keys that `ssh-keygen -t ed25519` makes.
 * Sources: OpenSSH, PROTOCOL.sshsig and PROTOCOL.key; RFC 8032: the same key and file give the same signature.
 */

import { createHash, createPrivateKey, createPublicKey, hash, sign, verify } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** A private key that signs, and the public keys that readers may trust: its own one, then those before it. */
export interface Signing {
  readonly publicKeys: readonly string[]
  /** @param sha512 of the file @returns the signature's file */
  readonly sign: (sha512: Buffer) => string
}

/** Who signs, and for what: `ssh-keygen -Y verify -I fundpress -n file`. */
const signer = 'fundpress'
const namespace = 'file'

const type = 'ssh-ed25519'
const magic = 'openssh-key-v1\0'

/** One line of a `.pub` file; its comment may be missing. */
export const isPublicKey = (text: string): boolean => pointOf(text) !== null

/**
 * @param privateKey the file of `ssh-keygen -t ed25519`; its line breaks may be blanks @param earlier public keys
 * @throws {Error} that completes the sentence "signing.key …", and quotes nothing of the key
 */
export function openSigning(privateKey: string, earlier: readonly string[]): Signing {
  const { seed, point } = readPrivateKey(privateKey)
  const jwk = { kty: 'OKP', crv: 'Ed25519', d: seed.toString('base64url'), x: point.toString('base64url') }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  if (createPublicKey(key).export({ format: 'jwk' }).x !== jwk.x) throw damaged()
  const own = publicKeyOf(point)
  return {
    publicKeys: [own, ...earlier.map(withoutComment).filter((other) => other !== own)],
    sign: (sha512) => {
      const signature = string(string(type), string(sign(null, signedBytes(sha512), key)))
      const version = Buffer.from([0, 0, 0, 1])
      const none = string('')
      const parts = [version, string(blobOf(point)), string(namespace), none, string('sha512'), signature]
      const lines =
        Buffer.concat([Buffer.from('SSHSIG'), ...parts])
          .toString('base64')
          .match(/.{1,70}/g) ?? []
      return `${begin}\n${lines.join('\n')}\n${end}\n`
    },
  }
}

const begin = '-----BEGIN SSH SIGNATURE-----'
const end = '-----END SSH SIGNATURE-----'

/** @param signature a file that {@link Signing.sign} or `ssh-keygen -Y sign -n file` has made @param sha512 of the signed file */
export function isSignedBy(publicKeys: readonly string[], signature: string, sha512: Buffer): boolean {
  const signer = signerOf(signature, sha512)
  return signer !== null && publicKeys.some((key) => isSameKey(key, signer))
}

/** @returns the public key that has signed this file, whoever has it; null if the signature is damaged or of another file */
export function signerOf(signature: string, sha512: Buffer): string | null {
  const body = new RegExp(`^${begin}\\s([A-Za-z0-9+/=\\s]+)${end}\\s*$`).exec(signature)?.[1]
  const blob = Buffer.from(body ?? '', 'base64')
  if (blob.subarray(0, 10).toString('latin1') !== 'SSHSIG\0\0\0\x01') return null
  const read = reader(blob.subarray(10))
  const key = read()
  const space = String(read())
  // Reserved.
  read()
  const digest = String(read())
  const inner = reader(read())
  const point = key.subarray(-32)
  const isOurs = space === namespace && digest === 'sha512' && blobOf(point).equals(key)
  if (!isOurs || point.length !== 32 || String(inner()) !== type) return null
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') }
  const isRight = verify(null, signedBytes(sha512), createPublicKey({ key: jwk, format: 'jwk' }), inner())
  return isRight ? publicKeyOf(point) : null
}

/** The file of `ssh-keygen -f`, which it calls allowed signers. */
export const allowedSigners = (publicKeys: readonly string[]): string =>
  publicKeys.map((key) => `${signer} namespaces="${namespace}" ${key}\n`).join('')

/** The public keys in such a file. */
export const keysIn = (text: string): readonly string[] => text.match(/ssh-ed25519 [A-Za-z0-9+/=]+/g) ?? []

/** The command that checks a signature. @param file of allowed signers @param signed the file; its signature lies beside it */
export const verifyCommand = (file: string, signed: string): string =>
  `ssh-keygen -Y verify -f ${file} -I ${signer} -n ${namespace} -s ${signed}.sig < ${signed}`

/** As `ssh-keygen -l` shows it: `SHA256:…`. */
export const fingerprintOf = (publicKey: string): string =>
  `SHA256:${hash('sha256', Buffer.from(publicKey.split(' ')[1] ?? '', 'base64'), 'base64').replaceAll('=', '')}`

export async function sha512OfFile(file: string): Promise<Buffer> {
  const sha512 = createHash('sha512')
  for await (const some of createReadStream(file) as AsyncIterable<Buffer>) sha512.update(some)
  return sha512.digest()
}

const signedBytes = (sha512: Buffer) =>
  Buffer.concat([Buffer.from('SSHSIG'), ...[namespace, '', 'sha512', sha512].map((part) => string(part))])

const blobOf = (point: Buffer) => Buffer.concat([string(type), string(point)])
const publicKeyOf = (point: Buffer) => `${type} ${blobOf(point).toString('base64')}`
const isSameKey = (one: string, other: string) => {
  const point = pointOf(one)
  return point !== null && publicKeyOf(point) === other
}
const withoutComment = (publicKey: string) => publicKey.split(' ', 2).join(' ')

/** The 32 bytes of a public key, or null if the text is no key of this type. */
function pointOf(publicKey: string): Buffer | null {
  const [name, text = ''] = publicKey.split(' ')
  const blob = Buffer.from(text, 'base64')
  const point = blob.subarray(-32)
  return name === type && blob.equals(blobOf(point)) ? point : null
}

function readPrivateKey(text: string): { readonly seed: Buffer; readonly point: Buffer } {
  const [, body] = /-----BEGIN OPENSSH PRIVATE KEY-----([^-]+)-----END/.exec(text) ?? []
  if (body === undefined)
    throw new Error(
      'is no private key of OpenSSH: make one with `ssh-keygen -t ed25519 -N "" -f signing-key`',
    )
  const blob = Buffer.from(body.replaceAll('\\n', ''), 'base64')
  if (blob.subarray(0, magic.length).toString('latin1') !== magic) throw damaged()
  const read = reader(blob.subarray(magic.length))
  const cipher = String(read())
  const passphrase = String(read())
  if (passphrase === 'bcrypt')
    throw new Error(
      'has a passphrase: remove it with `ssh-keygen -p -N "" -f FILE`, or make a key without one',
    )
  if (cipher !== 'none') throw damaged()
  // Options of the passphrase, the number of keys, the public key.
  for (const count of [undefined, 4, undefined]) read(count)
  const secret = reader(read())
  const checks = [String(secret(4)), String(secret(4))]
  const kind = String(secret())
  if (kind !== type && /^[a-z][\w@.-]{2,50}$/.test(kind))
    throw new Error(`is of the type ${kind}: make one with \`ssh-keygen -t ed25519 -N "" -f signing-key\``)
  const point = secret()
  const seed = secret().subarray(0, 32)
  if (checks[0] !== checks[1] || point.length !== 32 || seed.length !== 32) throw damaged()
  return { seed, point }
}

const damaged = () => new Error('is damaged: give the whole file, from its BEGIN line to its END line')

/** A string of SSH: its length in four bytes, then its bytes. */
function string(...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

/** Reads the next string, or so many bytes; an empty buffer when there are too few. */
function reader(bytes: Buffer) {
  let at = 0
  return (count?: number): Buffer => {
    if (count === undefined) {
      const prefix = bytes.subarray(at, at + 4)
      at += 4
      count = prefix.length === 4 ? prefix.readUInt32BE() : 0
    }
    const found = bytes.subarray(at, at + count)
    at += count
    return found
  }
}
