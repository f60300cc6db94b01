/** An SMTP server that takes notices. */
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
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
