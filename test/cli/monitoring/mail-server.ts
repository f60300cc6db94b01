/** An SMTP server that takes notices, and what TLS needs. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { once } from '../../support/once.ts'
import { makeTempFolder } from '../../support/product.ts'
import { listen } from '../../support/receiver.ts'

const mailUser = { user: 'fonds@haus', pass: 'p@ss/w%rd:1' }
/** User and password as an address has them. */
export const mailLogin = `${encodeURIComponent(mailUser.user)}:${encodeURIComponent(mailUser.pass)}`

type ReceivedMail = ParsedMail & { readonly isSecure: boolean; readonly user: unknown }

/** An SMTP server with STARTTLS that wants {@link mailUser}, unless the options say something else. */
export async function openMailServer({
  host,
  ...options
}: SMTPServerOptions & { readonly host?: string } = {}) {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    onAuth: ({ username, password }, _session, done) =>
      username === mailUser.user && password === mailUser.pass
        ? done(null, { user: username })
        : done(new Error(`no ${username ?? ''} ${password ?? ''}`)),
    onData: (stream, { secure, user }, done) => {
      const parsing = simpleParser(stream)
      void parsing.then((mail) => mails.push({ ...mail, isSecure: secure, user })).then(() => done())
    },
    ...options,
  })
  // What clients do wrong is what tests look at.
  server.on('error', () => undefined)
  const port = await listen(server.server, host)
  return {
    port,
    mails,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

// A certificate cannot be made without it. CI has to have it.
export const hasOpenssl =
  process.env['CI'] === 'true' || spawnSync('openssl', ['version']).error === undefined

/** A certificate of this machine that nobody has signed but itself. `file` holds it. */
export const certificate = () =>
  once('certificate', () => {
    const folder = makeTempFolder()
    const [file, keyFile] = [folder.file('cert.pem'), folder.file('key.pem')]
    const names = 'subjectAltName=IP:127.0.0.1,IP:127.0.0.2'
    const ofKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile]
    const line = ['req', '-x509', ...ofKey, '-out', file, '-subj', '/CN=127.0.0.1', '-addext', names]
    execFileSync('openssl', [...line, '-days', '2'], { stdio: 'ignore' })
    return Promise.resolve({ file, key: readFileSync(keyFile), cert: readFileSync(file) })
  })
