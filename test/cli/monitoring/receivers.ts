/** Servers that take notices: an HTTP receiver, and an SMTP server. */
import { execFileSync, spawnSync } from 'node:child_process'
import { once as onceEmitted } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { once } from '../../support/once.ts'
import { makeTempFolder } from '../../support/product.ts'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
}

/** @param answer how often a path was asked before is its second argument; it must end the answer, or let it hang */
export async function openReceiver(
  answer: (response: ServerResponse, before: number, path: string) => void = (response) => response.end('ok'),
) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const { method = '', url: path = '', headers } = request
      const before = received.filter((one) => one.path === path).length
      received.push({ method, path, headers, body: JSON.parse(bytes.toString()) as Received['body'] })
      answer(response, before, path)
    })
  })
  const port = await listen(server)
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    received,
    /** The bodies since the last time. */
    take: () => received.splice(0).map(({ body }) => body),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const mailUser = { user: 'fonds@haus', pass: 'p@ss/w%rd:1' }
/** User and password as an address has them. */
export const mailLogin = `${encodeURIComponent(mailUser.user)}:${encodeURIComponent(mailUser.pass)}`

export type ReceivedMail = ParsedMail & { readonly isSecure: boolean; readonly user: unknown }

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

export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  await onceEmitted(server, 'listening')
  return (server.address() as AddressInfo).port
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
    const line = [
      'req',
      '-x509',
      ...ofKey,
      '-out',
      file,
      '-subj',
      '/CN=127.0.0.1',
      '-addext',
      names,
      '-days',
      '2',
    ]
    execFileSync('openssl', line, { stdio: 'ignore' })
    return Promise.resolve({ file, key: readFileSync(keyFile), cert: readFileSync(file) })
  })
