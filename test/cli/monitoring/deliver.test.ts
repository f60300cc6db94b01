/** One message to one target: retries, limits of time, and the reason of a failure. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createNetServer, type Server, type Socket } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import type { DeliveryPatience } from '../../../src/core/system/attempts.ts'
import { deliver } from '../../../src/extensions/tell/deliver.ts'
import type { Notice } from '../../../src/extensions/tell/notice.ts'
import type { TargetSetting } from '../../../src/extensions/tell/settings.ts'
import { openTarget, type OpenTarget } from '../../../src/extensions/tell/targets.ts'
import { tempFolder } from '../../support/product.ts'
import { listen, openReceiver } from '../../support/receiver.ts'

const notice: Notice = {
  format: 1,
  event: 'failed',
  state: null,
  title: 'fundpress 2026-11-20: failed in check',
  text: 'fundpress 2026-11-20: failed in check\nReason: the database has 2 errors',
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
  if (target.name === null) throw new Error(target.reason)
  return target
}
const sendTo = (target: OpenTarget, terms: Partial<DeliveryPatience> = {}, signal = never) =>
  deliver(target, notice, { patience: { ...patience, ...terms }, clock: () => performance.now(), signal })

const webhook = (url: string) => opened({ type: 'webhook', url })
const command = (given: string | readonly string[], environment = {}) =>
  opened({ type: 'command', command: given }, { PATH: process.env['PATH'], ...environment })

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
    const url = receiver.url.replace('//', '//fonds%40haus:p%40ss%2Fw%25rd%3A1@')
    expect(await sendTo(webhook(`${url}/x`))).toBe(null)
    // Names of headers have no case: this one replaces that of the address.
    const headers = { authorization: 'env:TOKEN', 'X-Team': 'funds', 'CONTENT-TYPE': 'text/json' }
    await sendTo(opened({ type: 'webhook', url, headers }, { TOKEN: ' Bearer abc\n' }))
    const basic = `Basic ${Buffer.from('fonds@haus:p@ss/w%rd:1').toString('base64')}`
    expect(
      receiver.received.map(({ headers: { authorization, 'x-team': team } }) => ({ authorization, team })),
    ).toEqual([
      { authorization: basic, team: undefined },
      { authorization: 'Bearer abc', team: 'funds' },
    ])
    expect(receiver.received.map((one) => one.headers['content-type'])).toEqual([
      'application/json',
      'text/json',
    ])
    await receiver.close()
  })
})

describe('a command', () => {
  const folder = tempFolder()
  const isGone = (pid: number) => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  }

  it('of a list gets its arguments without a shell, the notice as JSON, and the event in its environment', async () => {
    const script = `import { readFileSync, writeFileSync } from 'node:fs'
const [file, ...words] = process.argv.slice(1)
const { FUNDPRESS_EVENT: event, OWN: own } = process.env
writeFileSync(file, JSON.stringify({ words, event, own, input: readFileSync(0, 'utf8') }))`
    const file = folder.file('got.json')
    const words = ['$HOME', '; exit 1', 'a b']
    const target = command([process.execPath, '--input-type=module', '--eval', script, file, ...words], {
      OWN: 'x',
    })
    expect(await sendTo(target)).toBe(null)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      words,
      event: 'failed',
      own: 'x',
      input: `${JSON.stringify(notice)}\n`,
    })
  })

  it('of a text is a line for the shell', async () => {
    const line = `cat > "$TO" && echo "$FUNDPRESS_EVENT" >> "$TO"`
    const TO = folder.file('line.txt')
    expect(await sendTo(command(line, { TO }))).toBe(null)
    expect(readFileSync(TO, 'utf8')).toBe(`${JSON.stringify(notice)}\nfailed\n`)
  })

  it('may end without reading', async () => {
    expect(await sendTo(command('exec true'))).toBe(null)
  })

  it.each<[string, string | readonly string[], string]>([
    [
      'an exit code',
      'echo to stdout; echo to stderr >&2; exit 7',
      'it ended with exit code 7: to stdout to stderr',
    ],
    ['a signal', 'kill -9 $$', 'SIGKILL has ended it'],
    ['no program', ['/nowhere/tell'], 'it cannot be run (ENOENT)'],
    ['a folder for a program', ['/etc/hosts/tell'], 'it cannot be run (ENOTDIR)'],
    [
      'hostile output',
      `printf 'a\\033[2J\\n##[error]b\\n'; exit 1`,
      'it ended with exit code 1: a [2J ##[error]b',
    ],
  ])('fails by %s, and is not run again', async (_, given, reason) => {
    expect(await sendTo(command(given))).toBe(reason)
  })

  it('that nobody may run fails', async () => {
    writeFileSync(folder.file('tell.sh'), '#!/bin/sh\n', { mode: 0o644 })
    expect(await sendTo(command([folder.file('tell.sh')]))).toBe('it cannot be run (EACCES)')
  })

  it('that fails shows the end of its output', async () => {
    const reason = await sendTo(command('seq 1 9999; echo the reason; exit 1'))
    expect(reason).toMatch(/^it ended with exit code 1: ….* 9998 9999 the reason$/)
    expect(reason?.length).toBeLessThan(600)
  })

  it('that fails shows no more of an address than its host', async () => {
    const line =
      'echo "cannot post to https://ops:S3CRET@hooks.example.com/S3CRET?S3CRET, (http://a/S3CRET)"; exit 1'
    expect(await sendTo(command(line))).toBe(
      'it ended with exit code 1: cannot post to https://***@hooks.example.com (http://a',
    )
  })

  it('that takes too long is ended with all that it has started, whatever that does with SIGTERM', async () => {
    const pid = folder.file('late.pid')
    const line = `trap '' TERM; sh -c 'trap "" TERM; echo $$ > "$0"; echo begun; sleep 600' ${pid}; sleep 600`
    expect(await sendTo(command(line), { total: 2000 })).toBe('it did not end within 1 s: begun')
    await expect.poll(() => isGone(Number(readFileSync(pid, 'utf8')))).toBe(true)
  })

  it('is ended when the run is stopped', async () => {
    const stop = new AbortController()
    const pid = folder.file('stopped.pid')
    const sending = sendTo(command(`echo $$ > ${pid}; sleep 600`), {}, stop.signal)
    await expect.poll(() => existsSync(pid) && readFileSync(pid, 'utf8')).toMatch(/\n$/)
    stop.abort()
    expect(await sending).toBe('stopped before it had ended')
    expect(isGone(Number(readFileSync(pid, 'utf8')))).toBe(true)
    expect(await sendTo(command('true'), {}, stop.signal)).toBe('stopped before it was run')
  })

  it('is not waited for by what it leaves in the background', async () => {
    const pid = folder.file('left.pid')
    expect(await sendTo(command(`sleep 600 & echo $! > ${pid}`))).toBe(null)
    const left = Number(readFileSync(pid, 'utf8'))
    expect(isGone(left)).toBe(false)
    process.kill(left)
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
    expect(await sendTo(webhook(`http://127.0.0.1:${port}`), quick)).toBe(
      'no answer within 0.1 s, after 2 attempts',
    )
    expect(await sendTo(webhook(`http://127.0.0.1:${port}`), { total: 200 })).toBe('no answer within 0.2 s')
  })

  it('that answers garbage is not asked again', async () => {
    const port = await open((socket) => socket.end('garbage\r\n\r\n'))
    expect(await sendTo(webhook(`http://127.0.0.1:${port}`))).toMatch(
      /^it does not answer as such a server does \(HPE_INVALID/,
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
  const targets = [
    everywhere('http', receiver.host),
    everywhere('http', closed.host),
    everywhere('https', 'nowhere.invalid'),
  ]
  const reasons = await Promise.all(targets.map((target) => sendTo(target)))
  expect(reasons.join('\n')).not.toContain(secret)
  for (const reason of reasons) expect(reason).toMatch(/, after 3 attempts$/)
  await receiver.close()
})
