/** Signatures in OpenSSH's format: `ssh-keygen` is the oracle. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fingerprintOf, isSignedBy, openSigning } from '../../src/core/system/ssh-signature.ts'
import { tempFolder } from '../support/folders.ts'
import { lacks } from '../support/programs.ts'
import { makeKey } from '../support/ssh-keygen.ts'

describe.skipIf(lacks('ssh-keygen'))('signatures', () => {
  const folder = tempFolder()
  const digestOf = (text: string) => createHash('sha512').update(text).digest()

  it('signs as ssh-keygen signs, byte for byte, and knows its signatures and fingerprints', () => {
    const key = makeKey(folder.file('key'))
    writeFileSync(folder.file('text'), 'some sums\n')
    execFileSync('ssh-keygen', [
      '-q',
      '-Y',
      'sign',
      '-n',
      'file',
      '-f',
      folder.file('key'),
      folder.file('text'),
    ])
    const theirs = readFileSync(folder.file('text.sig'), 'utf8')
    const signing = openSigning(key.secret, [])
    expect(signing.sign(digestOf('some sums\n'))).toBe(theirs)
    expect(key.publicKey.startsWith(`${signing.publicKeys[0] ?? ''} `)).toBe(true)
    expect(isSignedBy([key.publicKey], theirs, digestOf('some sums\n'))).toBe(true)
    expect(isSignedBy([key.publicKey], theirs, digestOf('other sums\n'))).toBe(false)
    expect(isSignedBy([makeKey(folder.file('stranger')).publicKey], theirs, digestOf('some sums\n'))).toBe(
      false,
    )
    const shown = execFileSync('ssh-keygen', ['-l', '-f', folder.file('key.pub')], { encoding: 'utf8' })
    expect(shown).toContain(` ${fingerprintOf(key.publicKey)} `)
  })

  it('refuses a signature for another namespace', () => {
    const { publicKey } = makeKey(folder.file('mail'))
    writeFileSync(folder.file('letter'), 'some sums\n')
    execFileSync('ssh-keygen', [
      '-q',
      '-Y',
      'sign',
      '-n',
      'email',
      '-f',
      folder.file('mail'),
      folder.file('letter'),
    ])
    const signature = readFileSync(folder.file('letter.sig'), 'utf8')
    expect(isSignedBy([publicKey], signature, digestOf('some sums\n'))).toBe(false)
  })

  it('reads a key whose line breaks have become blanks, or \\n', () => {
    const { secret } = makeKey(folder.file('flat'))
    const [own] = openSigning(secret, []).publicKeys
    expect(openSigning(secret.replaceAll('\n', ' '), []).publicKeys).toEqual([own])
    expect(openSigning(secret.replaceAll('\n', '\\n'), []).publicKeys).toEqual([own])
  })

  it('says what is wrong with a key, and quotes nothing of it', () => {
    const { secret } = makeKey(folder.file('whole'))
    const wrong = [
      ['has a passphrase', makeKey(folder.file('locked'), '-N', 'a passphrase').secret],
      ['is of the type ecdsa', makeKey(folder.file('other'), '-t', 'ecdsa').secret],
      ['is damaged', secret.replace(/(?<=\n.{20})[^]{90}/, '')],
      ['is damaged', secret.replace(/\n[^]*\n-----END/, '\n-----END')],
      ['is no private key of OpenSSH', readFileSync(folder.file('whole.pub'), 'utf8')],
    ] as const
    for (const [message, text] of wrong) {
      const open = () => openSigning(text, [])
      expect(open).toThrow(message)
      expect(open).not.toThrow(text.slice(60, 80))
    }
  })
})
