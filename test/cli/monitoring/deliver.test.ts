/** One message to one target: retries, limits of time, and the reason of a failure. */
import { createServer as createNetServer, type Server, type Socket } from 'node:net'
import { simpleParser } from 'mailparser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeliveryPatience } from '../../../src/cli/monitoring/attempts.ts'
import { deliver } from '../../../src/cli/monitoring/deliver.ts'
import type { Notice } from '../../../src/cli/monitoring/notice.ts'
import { openTarget, type OpenTarget, type TargetSetting } from '../../../src/cli/monitoring/targets.ts'
import { certificate, lacksOpenssl } from '../../support/certificate.ts'
import { listen, openReceiver } from '../../support/receiver.ts'
import { mailLogin, openMailServer } from './mail-server.ts'

const notice: Notice = {
  format: 1,
  event: 'failed',
  title: 'fundpress 2026-11-20: failed in check',
  time: '2026-11-20T01:02:03.000Z',
  command: 'nightly',
  place: 'fund-data',
  asOf: '2026-11-20',
  snapshot: null,
  reverted: null,
  slot: null,
  step: 'check',
  reason: 'the database has 2 errors',
  news: [],
  details: ['DE0008471400 price: the NAV is missing'],
  objections: [],
  moreObjections: 0,
  allow: null,
  who: null,
  failures: 0,
  figures: null,
  host: 'host-1',
  run: null,
}

const patience: DeliveryPatience = { attempts: 3, attempt: 20_000, pause: 1, total: 60_000 }
const never = new AbortController().signal

function opened(setting: Readonly<Record<string, unknown>>, environment = {}): OpenTarget {
  const target = openTarget(
    { headers: {}, events: ['failed'], ...setting } as unknown as TargetSetting,
    environment,
  )
  if (target.host === null) throw new Error(target.reason)
  return target
}
const sendTo = (target: OpenTarget, terms: Partial<DeliveryPatience> = {}, signal = never) =>
  deliver(target, notice, { patience: { ...patience, ...terms }, clock: () => performance.now(), signal })

const webhook = (url: string) => opened({ type: 'webhook', url })
const mailTo = (smtp: string, to = ['ops@example.com']) =>
  opened({ type: 'mail', smtp, from: 'funds@example.com', to })

describe('a webhook', () => {
  const status = (code: number, headers = {}) =>
    openReceiver((response) => response.writeHead(code, headers).end())

  it('is asked again after an answer of 500, and gets the same body', async () => {
    const receiver = await openReceiver((response, _, nth) => response.writeHead(nth === 1 ? 500 : 204).end())
    expect(await sendTo(webhook(`${receiver.url}/path?key=1`))).toBe(null)
    expect(
      receiver.received.map(({ method, path, query }) => `${method} ${path}?${query.toString()}`),
    ).toEqual(Array(2).fill('POST /path?key=1'))
    expect(receiver.take()).toEqual([notice, notice])
    await receiver.close()
  })

  it.each([
    [408, ', after 3 attempts', 3],
    [429, ', after 3 attempts', 3],
    [503, ', after 3 attempts', 3],
    [307, ', a redirect, which is not followed', 1],
    [404, '', 1],
  ])('is given up after an answer of %d%s', async (code, more, times) => {
    const receiver = await status(code, { location: 'http://127.0.0.1:1/secret' })
    expect(await sendTo(webhook(receiver.url))).toBe(`its answer has the status ${code}${more}`)
    expect(receiver.take()).toHaveLength(times)
    await receiver.close()
  })

  it.each([
    ['seconds', { 'retry-after': '3600' }],
    ['a date', { date: 'Fri, 20 Nov 2026 01:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 02:00:00 GMT' }],
  ])('is given up at once if Retry-After names a time that is too late, by %s', async (_, headers) => {
    const receiver = await status(429, headers)
    expect(await sendTo(webhook(receiver.url))).toBe('its answer has the status 429')
    await receiver.close()
  })

  it('is not waited for any more after a signal, in an attempt and in a pause', async () => {
    const stop = new AbortController()
    const silent = await openReceiver(() => stop.abort())
    expect(await sendTo(webhook(silent.url), {}, stop.signal)).toBe('stopped before it was sent')
    await silent.close()
    const later = new AbortController()
    const failing = await openReceiver((response) => {
      response.writeHead(500).end(() => setTimeout(() => later.abort(), 50))
    })
    expect(await sendTo(webhook(failing.url), { pause: 15_000 }, later.signal)).toBe(
      'stopped before it was sent',
    )
    expect(failing.take()).toHaveLength(1)
    await failing.close()
  })

  it('has taken the message with the head of its answer: the rest may be endless', async () => {
    let written = 0
    const receiver = await openReceiver((response) => {
      const chunk = 'x'.repeat(65_536)
      const write = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length
      }
      response.on('drain', write)
      write()
    })
    expect(await sendTo(webhook(receiver.url))).toBe(null)
    expect(written).toBeLessThan(64_000_000)
    await receiver.close()
  })

  it('has user and password of its address as a header, and headers of its own', async () => {
    const receiver = await openReceiver()
    const url = receiver.url.replace('//', `//${mailLogin}@`)
    expect(await sendTo(webhook(`${url}/x`))).toBe(null)
    // Names of headers have no case: this one replaces that of the address.
    const headers = { authorization: 'env:TOKEN', 'X-Team': 'funds', 'CONTENT-TYPE': 'text/json' }
    await sendTo(opened({ type: 'webhook', url, headers }, { TOKEN: ' Bearer abc\n' }))
    const basic = `Basic ${Buffer.from('fonds@haus:p@ss/w%rd:1').toString('base64')}`
    expect(receiver.received.map((one) => [one.headers.authorization, one.headers['x-team']])).toEqual([
      [basic, undefined],
      ['Bearer abc', 'funds'],
    ])
    expect(receiver.received.map((one) => one.headers['content-type'])).toEqual([
      'application/json',
      'text/json',
    ])
    await receiver.close()
  })
})

describe('a mail', () => {
  let server: Awaited<ReturnType<typeof openMailServer>>
  beforeAll(async () => {
    // Without TLS, as a server on this machine may be.
    server = await openMailServer({ hideSTARTTLS: true, allowInsecureAuth: true })
  })
  afterAll(() => server.close())

  it('goes to all recipients, as plain text that no program answers', async () => {
    const smtp = `smtp://${mailLogin}@127.0.0.1:${server.port}`
    expect(await sendTo(mailTo(smtp, ['a@example.com', 'b@example.com']))).toBe(null)
    const [mail] = server.mails.splice(0)
    expect(mail).toMatchObject({ subject: notice.title, user: 'fonds@haus', html: false })
    expect(mail?.text).toBe(
      [
        'fundpress 2026-11-20: failed in check',
        '',
        'Reason: the database has 2 errors',
        'Details: DE0008471400 price: the NAV is missing',
        'Step: check',
        'Where: fund-data',
        'Command: nightly on host-1, 2026-11-20T01:02:03.000Z',
        '',
      ].join('\n'),
    )
    const { from, to, headers } = mail ?? { headers: new Map() }
    expect([from, to].flat().map((one) => one?.text)).toEqual([
      'funds@example.com',
      'a@example.com, b@example.com',
    ])
    expect(headers.get('auto-submitted')).toBe('auto-generated')
  })

  it('has the password of its address, with whatever signs that has', () => {
    const passwordOf = (password: string) => {
      const target = mailTo(`smtp://u:${password}@127.0.0.1`)
      return 'server' in target ? target.server.auth?.pass : undefined
    }
    for (const [given, meant] of [
      ['100%^Größe', '100%^Größe'],
      ['%zz%40%', '%zz@%'],
      ['%ff', '%ff'],
    ] as const)
      expect(passwordOf(given)).toBe(meant)
  })

  describe.runIf(process.platform === 'linux')('to a server on another machine', () => {
    // 127.0.0.2 is this machine, too, but not by one of the names that stand for it.
    const host = '127.0.0.2'

    it('needs STARTTLS', async () => {
      const plain = await openMailServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true, host })
      expect(await sendTo(mailTo(`smtp://${mailLogin}@${host}:${plain.port}`))).toMatch(
        /^the server does not offer STARTTLS, or it failed/,
      )
      expect(plain.mails).toEqual([])
      await plain.close()
    })

    it.skipIf(lacksOpenssl).each(['smtp', 'smtps'])(
      'needs a certificate that is trusted (%s)',
      async (scheme) => {
        const untrusted = await openMailServer({ ...(await certificate()), secure: scheme === 'smtps', host })
        expect(await sendTo(mailTo(`${scheme}://${mailLogin}@${host}:${untrusted.port}`))).toMatch(
          /^its certificate is not trusted \([A-Z_]+\)$/,
        )
        expect(untrusted.mails).toEqual([])
        await untrusted.close()
      },
    )
  })

  it.skipIf(lacksOpenssl)(
    'uses the TLS that a server on this machine offers, whoever has signed its certificate',
    async () => {
      const local = await openMailServer(await certificate())
      expect(await sendTo(mailTo(`smtp://${mailLogin}@127.0.0.1:${local.port}`))).toBe(null)
      expect(local.mails).toMatchObject([{ isSecure: true, user: 'fonds@haus' }])
      await local.close()
    },
  )

  it('that a server refuses is not sent again, but after a 4xx it is', async () => {
    const answers = [450, 550]
    const refusing = await openMailServer({
      authOptional: true,
      hideSTARTTLS: true,
      onRcptTo: (_address, _session, done) =>
        done(Object.assign(new Error(`no ${mailLogin}`), { responseCode: answers.shift() ?? 550 })),
    })
    const smtp = `smtp://127.0.0.1:${refusing.port}`
    expect(await sendTo(mailTo(smtp))).toBe('the server refused the message (550), after 2 attempts')
    expect(answers).toEqual([])
    await refusing.close()
  })

  it('without a confirmation is sent again with the same id, so that the server can drop the copy', async () => {
    const ids: (string | undefined)[] = []
    const busy = await openMailServer({
      authOptional: true,
      hideSTARTTLS: true,
      onData: (stream, _session, done) => {
        const failed = Object.assign(new Error('busy'), { responseCode: 451 })
        void simpleParser(stream).then(({ messageId }) => done(ids.push(messageId) === 1 ? failed : null))
      },
    })
    expect(await sendTo(mailTo(`smtp://127.0.0.1:${busy.port}`))).toBe(null)
    expect(ids).toEqual(Array(2).fill(expect.stringMatching(/^<[0-9a-f]+@example\.com>$/)))
    await busy.close()
  })

  it('is a failure if one of its recipients is refused', async () => {
    const picky = await openMailServer({
      authOptional: true,
      hideSTARTTLS: true,
      onRcptTo: ({ address }, _session, done) =>
        address.startsWith('b@') ? done(Object.assign(new Error('no'), { responseCode: 550 })) : done(),
    })
    const target = mailTo(`smtp://127.0.0.1:${picky.port}`, ['a@example.com', 'b@example.com'])
    expect(await sendTo(target)).toBe('the server refused 1 of 2 recipients')
    expect(picky.mails).toHaveLength(1)
    await picky.close()
  })
})

describe('a server of another kind', () => {
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  const open = async (greet: (socket: Socket) => void) => {
    const server = createNetServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      greet(socket)
    })
    servers.push(server)
    return listen(server)
  }
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    for (const server of servers) server.close()
  })

  it('that is silent is given up', async () => {
    const port = await open(() => undefined)
    const quick = { attempt: 100, attempts: 2 }
    for (const target of [webhook(`http://127.0.0.1:${port}`), mailTo(`smtp://127.0.0.1:${port}`)])
      expect(await sendTo(target, quick)).toBe('no answer within 0.1 s, after 2 attempts')
    expect(await sendTo(webhook(`http://127.0.0.1:${port}`), { total: 200 })).toBe('no answer within 0.2 s')
  })

  it('that answers garbage is not asked again', async () => {
    const port = await open((socket) => socket.end('garbage\r\n\r\n'))
    expect(await sendTo(webhook(`http://127.0.0.1:${port}`))).toMatch(
      /^it does not answer as such a server does \(HPE_INVALID/,
    )
    expect(await sendTo(mailTo(`smtp://127.0.0.1:${port}`))).toMatch(
      /^it does not answer as such a server does/,
    )
    expect(await sendTo(webhook(`https://127.0.0.1:${port}`))).toMatch(
      /^it does not answer as such a server does/,
    )
  })
})

it('what is tried again is described without what is secret', async () => {
  const secret = 'S3CRET-hunter2'
  const receiver = await openReceiver((response) => response.writeHead(500, { secret }).end(secret))
  const closed = await openReceiver()
  await closed.close()
  const everywhere = (scheme: string, host: string) =>
    opened({
      type: 'webhook',
      url: `${scheme}://ops:${secret}@${host}/${secret}?k=${secret}#${secret}`,
      headers: { Authorization: secret },
    })
  const echo = createNetServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(`220 ${secret}\r\n`)
    socket.on('data', (data) => socket.write(`421 ${data.toString().trim()}\r\n`))
  })
  const inMail = (port: number) => mailTo(`smtp://${secret}:${secret}@127.0.0.1:${port}`)
  const targets = [
    ...[
      everywhere('http', receiver.host),
      everywhere('http', closed.host),
      everywhere('https', 'nowhere.invalid'),
    ],
    ...[inMail(1), inMail(await listen(echo))],
  ]
  const reasons = await Promise.all(targets.map((target) => sendTo(target)))
  expect(reasons.join('\n')).not.toContain(secret)
  for (const reason of reasons) expect(reason).toMatch(/, after 3 attempts$/)
  echo.close()
  await receiver.close()
})
