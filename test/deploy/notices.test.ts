/** The recipes for mails, cards, heartbeats and metrics, run as they are published. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { asOf, fileOf, press, useNights } from '../bucket/nightly/nightly.ts'
import { repository } from '../support/product.ts'
import { isMissing, lacks, shellcheck } from '../support/programs.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'
import { useReceiver } from '../support/receiver.ts'
import { expectSuccess } from '../cli/outcome.ts'
import { ended, installLauncher, run } from '../cli/run.ts'
import { prometheus, readTextfiles, valuesOf } from '../cli/monitoring/figures.ts'

useNights(1)
const receiver = useReceiver()

const page = readFileSync(join(repository, 'templates/notices/README.md'), 'utf8')
/** The blocks of one language below a heading. */
function blocksOf(heading: string, language: string): readonly string[] {
  const [, section = ''] = page.split(new RegExp(`^## ${heading}$`, 'm'))
  const [own = ''] = section.split(/^## /m)
  return [...own.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  )
}
const blockOf = (heading: string, language: string, index = 0) => blocksOf(heading, language)[index] ?? ''

const bin = () => fileOf('bin')
const path = () => `${bin()}:${process.env['PATH'] ?? ''}`
const program = (name: string, text: string) => {
  mkdirSync(bin(), { recursive: true })
  writeFileSync(join(bin(), name), text, { mode: 0o755 })
}
/** Files of the recipe lie in the folder of the test. */
const here = (text: string) =>
  text
    .replaceAll('/etc/fundpress/', `${fileOf('')}/`)
    .replaceAll('/var/lib/prometheus/node-exporter/', `${fileOf('')}/`)

const configure = (text: string) => writeFileSync(fileOf('fundpress.config.json'), here(text))
const notify = (flags: readonly string[], env: Readonly<Record<string, string>>) =>
  run(['notify', ...flags], { cwd: fileOf(''), env: { PATH: path(), ...env } })
const failure = ['--event', 'failed', '--as-of', asOf, '--reason', 'the NAV of <Fonds & Söhne> is "new"']
const title = `fundpress ${asOf}: failed`

const lacksCurl = lacks('curl')
const lacksJq = lacks('jq')

beforeEach(() => rmSync(fileOf('fundpress.config.json'), { force: true }))

describe.skipIf(lacksJq)('a mail', () => {
  it('has the title as its subject, and the lines of the notice', async () => {
    program(
      'sendmail',
      `#!/bin/sh\nprintf '%s\\n' "$*" > '${fileOf('flags.txt')}'\ncat > '${fileOf('mail.txt')}'\n`,
    )
    writeFileSync(fileOf('mail.sh'), blockOf('Mail', 'sh'), { mode: 0o755 })
    configure(blockOf('Mail', 'json'))
    await expectSuccess(notify(failure, {}))
    expect(readFileSync(fileOf('flags.txt'), 'utf8')).toBe('-t\n')
    const [head = '', body] = readFileSync(fileOf('mail.txt'), 'utf8').split('\n\n')
    expect(head.split('\n')).toEqual([
      'To: funds@example.com',
      `Subject: ${title}`,
      'Auto-Submitted: auto-generated',
      'Content-Type: text/plain; charset=utf-8',
    ])
    expect(body).toMatch(
      new RegExp(`^${title}\nReason: the NAV of ‹Fonds & Söhne› is "new"\nCommand: notify on .*\n$`),
    )
  })
})

describe.skipIf(lacksJq || lacksCurl)('a card for Teams', () => {
  it('has a paragraph without markup for each line, and a button for the run', async () => {
    writeFileSync(fileOf('teams.sh'), blockOf('A card for Teams', 'sh'), { mode: 0o755 })
    configure(blockOf('A card for Teams', 'json'))
    const github = {
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'a/b',
      GITHUB_RUN_ID: '1',
    }
    const env = { FUNDPRESS_NOTIFY_URL: receiver.url('/teams?key=1') }
    await expectSuccess(notify(failure, { ...env, ...github }))
    const [request] = receiver.received
    expect(`${request?.method} ${request?.path}?${request?.query.toString()}`).toBe('POST /teams?key=1')
    expect(request?.headers['content-type']).toBe('application/json')
    const paragraph = (text: unknown, weight: string) => ({
      type: 'RichTextBlock',
      spacing: 'Small',
      inlines: [{ type: 'TextRun', text, weight }],
    })
    const run = 'https://github.com/a/b/actions/runs/1'
    expect(receiver.take()).toEqual([
      {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            content: {
              $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
              type: 'AdaptiveCard',
              version: '1.4',
              msteams: { width: 'Full' },
              body: [
                paragraph(title, 'Bolder'),
                paragraph('Reason: the NAV of ‹Fonds & Söhne› is "new"', 'Default'),
                paragraph(expect.stringMatching(/^Command: notify on /), 'Default'),
                paragraph(`Run: ${run}`, 'Default'),
              ],
              actions: [{ type: 'Action.OpenUrl', title: 'The run on GitHub', url: run }],
            },
          },
        ],
      },
    ])
    await expectSuccess(notify(failure, env))
    expect(receiver.take()).toMatchObject([{ attachments: [{ content: { actions: [] } }] }])
  })

  it('that Teams refuses is a failure, which shows the host alone', async () => {
    writeFileSync(fileOf('teams.sh'), blockOf('A card for Teams', 'sh'), { mode: 0o755 })
    configure(blockOf('A card for Teams', 'json'))
    receiver.answerWith((response) => response.writeHead(400).end('S3CRET'))
    const { code, stdout } = await notify(failure, { FUNDPRESS_NOTIFY_URL: receiver.url('/S3CRET') })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^notify: command \(.*teams\.sh\): it ended with exit code 22: curl: \(22\) .* 400; /,
    )
    expect(stdout).not.toContain('S3CRET')
  })

  it('has a sister each for Google Chat and Discord, with the member that these know', async () => {
    configure(blockOf('A card for Teams', 'json', 1))
    await expectSuccess(
      notify(failure, { GOOGLE_CHAT_URL: receiver.url('/google'), DISCORD_URL: receiver.url('/discord') }),
    )
    const text = expect.stringMatching(new RegExp(`^${title}\nReason: `)) as string
    const bodies = receiver.received.map(({ path: to, body }) => [to, JSON.parse(body) as unknown] as const)
    expect(Object.fromEntries(bodies)).toEqual({ '/google': { text }, '/discord': { content: text } })
  })
})

/** A line of a shell, with a program `fundpress` that runs the night of the test. */
function inShell(line: string, env: Readonly<Record<string, string>>) {
  const bucket = bucketArgs(press.server.endpoint, 'funds').join(' ')
  installLauncher(join(bin(), 'real'))
  program(
    'fundpress',
    `#!/bin/sh\nexec '${join(bin(), 'real/fundpress')}' "$@" --db funds.sqlite --as-of ${asOf} ${bucket}\n`,
  )
  const quick = { FUNDPRESS_BUCKET_GRACE_SECONDS: '0', FUNDPRESS_BUCKET_LATE_SECONDS: '0' }
  const own = { ...process.env, PATH: path(), ...credentials, ...quick, ...env }
  return ended(spawn('/bin/sh', ['-c', here(line)], { cwd: fileOf(''), env: own }))
}

describe.skipIf(lacksCurl)('a heartbeat', () => {
  const requests = () => receiver.received.splice(0).map(({ method, path: to }) => `${method} ${to}`)
  const env = () => ({ HEARTBEAT_URL: receiver.url('/ping/id') })

  it.each([
    ['a command', 0, 'GET /ping/id'],
    ['a webhook', 1, 'POST /ping/id'],
  ])('by %s comes from a night that is done, and from no other', async (_, index, expected) => {
    configure(blockOf('A heartbeat', 'json', index))
    const night = (flags: string) => press.fundpress(`nightly --as-of ${asOf} ${flags}`, env())
    expect((await night('--db nowhere.sqlite')).code).toBe(1)
    expect(requests()).toEqual([])
    expect(await night('--db funds.sqlite')).toMatchObject({ code: 0, stderr: '' })
    expect(requests()).toEqual([expected])
  })

  it('from a crontab comes after a success, also if there is nothing to do', async () => {
    configure('{}')
    const [, line = ''] = /^17 3,4,5 \* \* \* (.*)\n$/.exec(blockOf('A heartbeat', 'crontab')) ?? []
    // cron takes a percent sign for the end of the line.
    expect(line).not.toContain('%')
    for (let attempt = 0; attempt < 2; attempt++) {
      expect((await inShell(line, env())).code).toBe(0)
      expect(requests()).toEqual(['GET /ping/id'])
    }
    configure('nonsense')
    expect((await inShell(line, env())).code).toBe(2)
    expect(requests()).toEqual([])
  })

  it('from systemd and from GitHub is one command', async () => {
    const [, ofUnit = ''] = /^\[Service\]\nExecStartPost=-(.*)\n$/.exec(blockOf('A heartbeat', 'ini')) ?? []
    const [step] = parse(blockOf('A heartbeat', 'yaml')) as [{ run: string; env: object }]
    expect(step.env).toEqual({ HEARTBEAT_URL: ['$', '{{ secrets.HEARTBEAT_URL }}'].join('') })
    for (const line of [ofUnit, step.run]) {
      expect(await inShell(line, env())).toMatchObject({ code: 0, stdout: '', stderr: '' })
      expect(requests()).toEqual(['GET /ping/id'])
    }
  })
})

describe('metrics', () => {
  it.skipIf(isMissing(prometheus !== undefined))('are written where node_exporter reads them', async () => {
    configure(blockOf('Metrics', 'json'))
    expect((await press.fundpress(`nightly --db funds.sqlite --as-of ${asOf}`)).code).toBe(0)
    expect(valuesOf(readTextfiles(fileOf('fundpress.prom')), 'fundpress_live_funds')).toBe(1)
  })

  it.skipIf(lacksCurl)('are handed to a Pushgateway, whatever became of the night', async () => {
    const env = { PUSHGATEWAY_URL: receiver.url() }
    const line = blockOf('Metrics', 'sh')
    const push = async (code: number, result: string) => {
      expect((await inShell(line, env)).code).toBe(code)
      const [request, ...more] = receiver.received.splice(0)
      expect(more).toEqual([])
      expect(`${request?.method} ${request?.path}`).toBe('POST /metrics/job/fundpress')
      expect(request?.body).toBe(readFileSync(fileOf('fundpress.prom'), 'utf8'))
      expect(request?.body).toMatch(new RegExp(`^fundpress_nightly_result\\{.*result="${result}"\\} 1$`, 'm'))
    }
    configure('{}')
    await push(0, 'done')
    configure(JSON.stringify({ requireComplete: true, bucket: { prefix: 'other' } }))
    await push(3, 'refused')
  })
})

it.skipIf(lacks('shellcheck')).each(['Mail', 'A card for Teams'])(
  'the script of "%s" is one for any shell',
  (heading) => {
    expect(shellcheck(blockOf(heading, 'sh'), '--shell=sh')).toBe('')
  },
)
