/** Notices as each type of target shows them. Names of funds are data, whatever they are. */
import { expect, it } from 'vitest'
import type { Session } from '../../../src/cli/command.ts'
import type { GuardName } from '../../../src/guards/guards.ts'
import { createNotice, type NoticeFacts } from '../../../src/cli/monitoring/notice.ts'
import { mailMessage, slackBody, teamsBody } from '../../../src/cli/monitoring/render.ts'

const settings = { bucket: { name: 'fund-data', prefix: 'eu' } }
const now = () => new Date('2026-11-20T01:02:03Z')
const noticeOf = (facts: Partial<NoticeFacts>, environment = {}) =>
  createNotice({ environment, now, settings } as unknown as Session, {
    event: 'refused',
    command: 'nightly',
    what: 'refused in publish',
    asOf: '2026-11-20',
    ...facts,
  })

/** What has a meaning in Slack, Teams, mail, HTML or a terminal. */
const hostile = [
  '<!channel> <@U123> <https://evil.example|here> &lt;!here&gt;',
  '@here @channel @everyone <at>Ms Weber</at>',
  '**bold** [link](https://evil.example) `code` # heading | table',
  '<script>alert(1)</script> <img src=x onerror=alert(1)>',
  'Fonds\r\nBcc: all@example.com\r\n\r\nbody',
  '\u001b[2Jgone \u202ereversed \u2028line',
  '{{variable}} <!date^1^{date}|x> :rocket:',
]

const textsOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) =>
        typeof inner === 'string'
          ? ['text', 'title', 'summary'].includes(key)
            ? [inner]
            : []
          : textsOf(inner),
      )
    : []

interface Block {
  readonly type: string
  readonly text: { readonly type: string; readonly text: string }
}

it.each<[string, readonly string[]]>([
  ...hostile.map((name): [string, readonly string[]] => [name, [name]]),
  ['all of them, very often', Array.from({ length: 200 }, () => hostile.join(' '))],
  ['an ampersand, very often', Array.from({ length: 200 }, () => '&'.repeat(5000))],
])('hostile names are text and nothing else: %s', (_, names) => {
  const objections = names.map((name) => ({ guard: name as GuardName, subject: name, message: name }))
  const name = names[0] ?? ''
  const facts = {
    reason: name,
    news: names,
    details: names,
    objections,
    who: name,
    snapshot: name,
    step: name,
  }
  const notice = noticeOf({ ...facts, slot: name, place: name, reverted: name })
  // Every text is one line that shows all that is in it.
  const texts = [...Object.values(notice), ...notice.objections.flatMap((one) => Object.values(one))]
  for (const text of texts.flat())
    if (typeof text === 'string') expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)

  const slack = slackBody(notice)
  const blocks = slack.blocks as readonly Block[]
  expect(blocks.length).toBeLessThanOrEqual(50)
  for (const { type, text } of blocks) {
    expect(text.type).toBe('plain_text')
    expect(text.text.length).toBeLessThanOrEqual(type === 'header' ? 150 : 3000)
  }
  for (const text of textsOf(slack)) expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)

  const teams = teamsBody(notice)
  expect(Buffer.byteLength(JSON.stringify(teams))).toBeLessThan(28_000)
  const [{ content }] = teams.attachments as [(typeof teams.attachments)[number]]
  // Text blocks and facts know Markdown, text runs do not.
  expect([...new Set(JSON.stringify(content.body).match(/"type":"\w+"/g))].sort()).toEqual([
    '"type":"RichTextBlock"',
    '"type":"TextRun"',
  ])

  const { subject, text } = mailMessage(notice)
  expect(subject).not.toMatch(/[\r\n]/)
  expect(text.split('\n').every((line) => /^(fundpress|[A-Z][\w ]+:|  |$)/.test(line))).toBe(true)
})

it('a refusal in Slack has a header, its facts in order, and a link to the run', () => {
  const github = {
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'muster/funds',
    GITHUB_RUN_ID: '12',
  }
  const objections = Array.from({ length: 12 }, (_, index) => ({
    guard: 'price-jump' as const,
    subject: `DE000000${String(index).padStart(4, '0')}`,
    message: 'the NAV rises by 1,000 %',
  }))
  const notice = noticeOf({ objections, who: 'alice', step: 'check' }, github)
  expect(notice).toMatchObject({
    moreObjections: 2,
    allow: '--allow price-jump --reason "…"',
    place: 'fund-data/eu',
  })
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
  expect(slackBody(notice)).toEqual({
    text: 'fundpress 2026-11-20: refused in publish',
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plain('fundpress 2026-11-20: refused in publish') },
      {
        type: 'section',
        text: plain(
          [
            'Refused: price-jump:DE0000000000: the NAV rises by 1,000 %',
            ...objections
              .slice(1, 10)
              .map(({ subject }) => `  • price-jump:${subject}: the NAV rises by 1,000 %`),
            '  • and 2 more',
            'If it is right: run it again with --allow price-jump --reason "…"',
            'By: alice',
            'Step: check',
            'Where: fund-data/eu',
            `Command: nightly on ${notice.host}, 2026-11-20T01:02:03.000Z`,
          ].join('\n'),
        ),
      },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '<https://github.com/muster/funds/actions/runs/12|The run on GitHub>' },
      },
    ],
  })
})

it('a night in Teams is an Adaptive Card with its figures and a button', () => {
  const github = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'a/b', GITHUB_RUN_ID: '1' }
  const prices = { fresh: 10, late: 1, stale: 0, unwatched: 0, unpriced: 0, withheld: 0 }
  const figures = {
    funds: 11,
    documents: 1204,
    changed: 40,
    written: 44,
    bytes: 5e6,
    cost: 0.0123,
    seconds: 75,
    prices,
  }
  const notice = noticeOf(
    { event: 'done', what: 'live', snapshot: '2026-11-20-3f9c2ab4d1e0', slot: 'blue', figures },
    github,
  )
  const { type, attachments } = teamsBody(notice)
  const [card] = attachments
  expect([type, attachments.length, card?.contentType]).toEqual([
    'message',
    1,
    'application/vnd.microsoft.card.adaptive',
  ])
  const line = (label: string, text: string) => ({
    type: 'RichTextBlock',
    inlines: [
      { type: 'TextRun', text: `${label}: `, weight: 'Bolder' },
      { type: 'TextRun', text },
    ],
    spacing: 'Small',
  })
  expect(card?.content).toMatchObject({
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { inlines: [{ text: 'fundpress 2026-11-20: live', weight: 'Bolder', size: 'Large', color: 'Good' }] },
      line('Snapshot', '2026-11-20-3f9c2ab4d1e0 in blue'),
      line(
        'Figures',
        '11 funds, 1,204 documents, 40 changed, 44 files written, 5,000,000 (5.0 MB), $0.0123, 1 min 15 s',
      ),
      line('Prices', '10 up to date, 1 late, 0 stale'),
      line('Where', 'fund-data/eu'),
      line('Command', `nightly on ${notice.host}, 2026-11-20T01:02:03.000Z`),
    ],
    actions: [
      { type: 'Action.OpenUrl', title: 'The run on GitHub', url: 'https://github.com/a/b/actions/runs/1' },
    ],
  })
})

it.each([
  ['javascript:alert(1)//', 'a/b', '1'],
  ['https://github.com', 'a/b|x>', '1'],
])('a run on GitHub is only linked if its address is one: %j %j %j', (server, repository, run) => {
  const environment = { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run }
  expect(noticeOf({}, environment).run).toBe(null)
})
