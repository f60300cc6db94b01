/** `fundpress notify`, and the setting that it tries. No output of any command shows an address or a header. */
import { createServer as createNetServer, type Socket } from 'node:net'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { tempFolder } from '../../support/product.ts'
import { listen, openReceiver } from '../../support/receiver.ts'
import { expectFailure, expectSuccess } from '../outcome.ts'
import { run, type Ended } from '../run.ts'

const folder = tempFolder()
const secret = 'S3CRET-hunter2'
let receiver: Awaited<ReturnType<typeof openReceiver>>
beforeAll(async () => {
  receiver = await openReceiver((response, { path }) => {
    const [, status = '200'] = /^\/(\d+)/.exec(path) ?? []
    response.writeHead(Number(status), { location: path }).end(`${path} is what was asked for`)
  })
})
beforeEach(() => receiver.received.splice(0))
afterAll(() => receiver.close())

const configure = (...notify: readonly unknown[]) =>
  writeFileSync(folder.file('fundpress.config.json'), JSON.stringify({ notify }))
const notify = (flags: string | readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(['notify', ...(typeof flags === 'string' ? flags.split(' ') : flags)], { cwd: folder.path, env })
const webhook = (path = '') => ({ type: 'webhook', url: `${receiver.url}/200/${path}` })
const usual = 'refused, failed, late, stale, rollback, forced, warned'

describe('notify', () => {
  it('--test sends each target a test, whatever its events, and has a line for each', async () => {
    configure(
      { ...webhook(), events: ['done'] },
      { type: 'webhook', url: 'env:HOOK' },
      { type: 'command', command: ['tee', 'told.json'] },
      { type: 'command', command: 'cat >&2' },
    )
    const stdout = await expectSuccess(notify('--test', { HOOK: `${receiver.url}/202/chat` }))
    expect(stdout).toBe(
      [
        `notify: webhook (${receiver.host}): was told; events: done\n`,
        `notify: webhook (${receiver.host}): was told; events: ${usual}\n`,
        `notify: command (tee): was told; events: ${usual}\n`,
        `notify: command (cat): was told; events: ${usual}\n`,
      ].join(''),
    )
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/200/', '/202/chat'])
    const { body = '' } = receiver.received.find(({ path }) => path === '/200/') ?? {}
    expect(JSON.parse(body)).toMatchObject({ event: 'test', title: 'fundpress: a test', command: 'notify' })
    expect(readFileSync(folder.file('told.json'), 'utf8')).toBe(`${body}\n`)
  })

  it('--test fails if one target fails, or if its variable is not set, and tells all others', async () => {
    configure(
      { type: 'webhook', url: `${receiver.url}/404` },
      { type: 'webhook', url: 'env:UNSET_URL' },
      { type: 'command', command: 'echo no mail today; exit 75' },
      webhook(),
    )
    const { code, stdout, stderr } = await notify('--test', { UNSET_URL: '' })
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'fundpress: 3 targets of 4 cannot be told\n' })
    expect(stdout).toContain(`webhook (${receiver.host}): its answer has the status 404; `)
    expect(stdout).toContain('notify: webhook: the environment variable UNSET_URL is not set; ')
    expect(stdout).toContain('notify: command (echo): it ended with exit code 75: no mail today; ')
    expect(stdout).toContain('was told')
    expect(receiver.received).toHaveLength(2)
  })

  it('--dry-run shows what the targets would get, and sends nothing', async () => {
    const run = ['touch', 'was-run']
    configure({ ...webhook(secret), headers: { 'X-Key': secret } }, { type: 'command', command: run })
    const { stdout } = await notify('--test --dry-run --json')
    const events = usual.split(', ')
    expect(JSON.parse(stdout)).toEqual({
      event: 'test',
      isSent: false,
      targets: [
        { type: 'webhook', name: receiver.host, events, reason: null },
        { type: 'command', name: 'touch', events, reason: null },
      ],
      notice: expect.objectContaining({ format: 1, event: 'test', title: 'fundpress: a test' }) as object,
    })
    expect(await expectSuccess(notify('--test --dry-run'))).toContain('"title": "fundpress: a test"')
    expect(receiver.received).toEqual([])
    expect(existsSync(folder.file('was-run'))).toBe(false)
  })

  it('--event tells of one event those who want it', async () => {
    configure({ ...webhook('some'), events: ['failed'] }, { ...webhook('other'), events: ['done'] })
    const flags = ['--event', 'failed', '--as-of', '2026-11-20', '--reason', 'killed:\nout of memory']
    expect(await expectSuccess(notify(flags))).toBe(
      `notify: webhook (${receiver.host}): was told; events: failed\n`,
    )
    expect(receiver.received.map(({ path }) => path)).toEqual(['/200/some'])
    expect(receiver.take()).toMatchObject([
      { event: 'failed', title: 'fundpress 2026-11-20: failed', reason: 'killed: out of memory' },
    ])
    expect(await expectSuccess(notify('--event late'))).toBe('no target wants late\n')
  })

  it.each([
    ['', 'notify needs --test or --event'],
    ['--test --event done', "option '--test' cannot be used with option '--event <event>'"],
    ['--event dne', 'Allowed choices are done, refused, failed, late, stale, rollback, forced, warned'],
  ])('%j is wrong usage', async (flags, reason) => {
    configure(webhook())
    await expectFailure(run(`notify ${flags}`.trim(), { cwd: folder.path }), reason, 2)
  })

  it('without a target is wrong usage', async () => {
    configure()
    await expectFailure(notify('--test'), 'the config has no target: add one to "notify"', 2)
  })
})

describe('a target in the config', () => {
  const url = `https://hooks.example.com/${secret}`
  it.each([
    [{ type: 'webhok', url }, '"notify[0].type" must be webhook or command, not a value'],
    [url, '"notify[0]" must be an object whose type is webhook or command, not a value'],
    [{ type: 'webhook', urll: url }, 'unknown key "notify[0].urll" (did you mean "url"?)'],
    [
      { type: 'webhook', url: `https://u:${secret}/x@host/` },
      '"notify[0].url" must be an absolute http or https URL',
    ],
    [
      { type: 'webhook', url: 1 },
      'or env:NAME for the value of an environment variable, not a value that is not shown',
    ],
    [
      { type: 'webhook', url, headers: { [`Authorization: Bearer ${secret}`]: '' } },
      '"notify[0].headers.Authorization…" must be a header, whose name has',
    ],
    [{ type: 'webhook', url, headers: { a: `${secret}\n` } }, '"notify[0].headers.a" must be a header value'],
    [{ type: 'command', url }, 'unknown key "notify[0].url"'],
    [
      { type: 'command', command: [] },
      '"notify[0].command" must be a list of a program and its arguments, or a line for /bin/sh',
    ],
    [{ type: 'command', command: ['', secret] }, '"notify[0].command[0]" must be a text that is not empty'],
    [
      { type: 'command', command: ['x', `${secret}\n`] },
      '"notify[0].command[1]" must be a text that is not empty, on one line',
    ],
    [{ type: 'command', command: ' ' }, '"notify[0].command" must be a line for /bin/sh'],
    [
      { type: 'command', command: `x\n${secret}` },
      '"notify[0].command" must be a line for /bin/sh, on one line',
    ],
  ])('%j is refused without its values', async (target, reason) => {
    configure(target)
    await expectFailure(notify('--test', { FUNDPRESS_DEBUG: '1' }), reason, 2)
    expectNoSecret(await notify('--test', { FUNDPRESS_DEBUG: '1' }))
  })

  it.each([
    ['url', { type: 'webhook', url: 'env:VALUE' }, `hooks.example.com/${secret}`],
    [
      'header',
      { type: 'webhook', url: 'http://127.0.0.1:1', headers: { a: 'env:VALUE' } },
      `${secret}\u0007`,
    ],
  ])('whose variable has a wrong %s names the variable only', async (_, target, VALUE) => {
    configure(target)
    const ended = await notify('--test', { VALUE, FUNDPRESS_DEBUG: '1' })
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain('the environment variable VALUE has a wrong form')
    expectNoSecret(ended)
  })
})

function expectNoSecret({ stdout, stderr }: Ended): void {
  // Nor a part of it.
  expect(stdout + stderr).not.toContain(secret.slice(0, 6))
  // Encoded, as in a header.
  expect(stdout + stderr).not.toContain(Buffer.from(`ops:${secret}`).toString('base64'))
}

describe('a secret', () => {
  const servers: { close: () => unknown }[] = []
  const sockets: Socket[] = []
  const ports = { garbage: 0, echo: 0 }
  const raw = async (greet: (socket: Socket) => void) => {
    const server = createNetServer((socket) => {
      sockets.push(socket.on('error', () => undefined))
      greet(socket)
    })
    servers.push(server)
    return listen(server)
  }
  beforeAll(async () => {
    // It says what it has heard, as the head of an answer, too.
    ports.echo = await raw((socket) => socket.once('data', (data) => socket.end(data)))
    ports.garbage = await raw((socket) => socket.end(`garbage ${secret}\r\n`))
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    for (const server of servers) server.close()
  })

  const hook = (url: string) => ({
    type: 'webhook',
    url,
    headers: { Authorization: secret, 'X-Key': 'env:KEY' },
  })
  const everywhere = (port: number, scheme = 'http') =>
    `${scheme}://ops:${secret}@127.0.0.1:${port}/${secret}/x?token=${secret}#${secret}`
  // Those that are failures again are slow: `deliver.test.ts` has them.
  const failures: readonly (readonly [what: string, target: () => object])[] = [
    ...[302, 401].map(
      (status) =>
        [`an answer of ${status}`, () => hook(`${receiver.url}/${status}/${secret}?k=${secret}`)] as const,
    ),
    ['an answer that is no HTTP', () => hook(everywhere(ports.garbage))],
    ['an answer that is the request', () => hook(everywhere(ports.echo))],
    ['no TLS', () => hook(everywhere(ports.echo, 'https'))],
    ['a port that is not allowed', () => hook(everywhere(6000))],
    ['a command', () => ({ type: 'command', command: ['cat', `https://host/${secret}`] })],
    [
      'a line',
      () => ({ type: 'command', command: `KEY=${secret} curl "http://127.0.0.1:1/${secret}"; exit 1` }),
    ],
    [
      'a line that is not well formed',
      () => ({ type: 'command', command: `curl 'http://127.0.0.1/${secret}` }),
    ],
  ]

  it('is in no output, whatever fails', async () => {
    configure(...failures.map(([, target]) => target()))
    const env = { FUNDPRESS_DEBUG: '1', KEY: secret, NODE_DEBUG: '' }
    for (const flags of ['--test', '--test --dry-run', '--event failed --json']) {
      const ended = await notify(flags, env)
      expectNoSecret(ended)
      if (flags === '--test') {
        expect(ended.code).toBe(1)
        expect(ended.stdout.match(/: was told/g)).toBe(null)
        expect(ended.stdout.trim().split('\n')).toHaveLength(failures.length)
      }
    }
  })

  it('is in no output and no file of a nightly run that cannot tell', async () => {
    configure(...failures.map(([, target]) => target()))
    const env = {
      FUNDPRESS_DEBUG: '1',
      KEY: secret,
      GITHUB_ACTIONS: 'true',
      GITHUB_OUTPUT: folder.file('outputs'),
    }
    const line = 'nightly --db nowhere.sqlite --bucket fund-data --summary night.md'
    for (const flags of ['', ' --json', ' --quiet']) {
      const ended = await run(line + flags, { cwd: folder.path, env })
      expect(ended.code).toBe(1)
      if (flags !== ' --quiet') expect(ended.stdout + ended.stderr).toContain('was not told')
      expectNoSecret(ended)
    }
    for (const file of ['night.md', 'outputs'])
      expect(readFileSync(folder.file(file), 'utf8')).not.toContain(secret)
  })
})
