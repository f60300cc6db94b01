/** Keys of OpenSSH, made by `ssh-keygen`. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** @param file of the private key; the public one lies beside it */
export function makeKey(file: string, ...flags: readonly string[]) {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'a comment', ...flags, '-f', file])
  return { secret: readFileSync(file, 'utf8'), publicKey: readFileSync(`${file}.pub`, 'utf8').trim() }
}
