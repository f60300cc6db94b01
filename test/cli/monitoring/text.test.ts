/** A notice in lines, as chats show it. Names of funds are data, whatever they are. */
import { expect, it } from 'vitest'
import type { Session } from '../../../src/core/cli/command.ts'
import type { GuardName } from '../../../src/core/guards/guards.ts'
import { createNotice, type NoticeFacts } from '../../../src/extensions/tell/notice.ts'

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

/** What has a meaning in Slack, Mattermost, Google Chat, Discord, mail, HTML or a terminal. */
const hostile = [
  '<!channel> <@U123> <https://evil.example|here> &lt;!here&gt;',
  '@here @channel @everyone <at>Ms Weber</at> <users/all>',
  '**bold** [link](https://evil.example) `code` # heading | table',
  '<script>alert(1)</script> <img src=x onerror=alert(1)>',
  'Fonds\r\nBcc: all@example.com\r\n\r\nbody',
  '\u001b[2Jgone \u202ereversed \u2028line',
  '{{variable}} <!date^1^{date}|x> :rocket:',
]

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
  const { text, ...record } = notice
  // Every other text is one line that shows all that is in it.
  const texts = [...Object.values(record), ...notice.objections.flatMap((one) => Object.values(one))]
  for (const line of texts.flat())
    if (typeof line === 'string') expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)

  expect(text).not.toMatch(/[<>@[\]]/)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4000)
  expect(Buffer.byteLength(JSON.stringify(notice))).toBeLessThan(28_000)
  expect(text.split('\n').every((line) => /^(fundpress|[A-Z][\w ]+: |  \S)/.test(line))).toBe(true)
})

it('a refusal has its facts in order, and what was refused at the end', () => {
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
  expect(notice.text).toBe(
    [
      'fundpress 2026-11-20: refused in publish',
      'By: alice',
      'If it is right: run it again with --allow price-jump --reason "…"',
      'Step: check',
      'Where: fund-data/eu',
      `Command: nightly on ${notice.host}, 2026-11-20T01:02:03.000Z`,
      'Run: https://github.com/muster/funds/actions/runs/12',
      'Refused: price-jump:DE0000000000: the NAV rises by 1,000 %',
      ...objections.slice(1, 10).map(({ subject }) => `  price-jump:${subject}: the NAV rises by 1,000 %`),
      '  and 2 more',
    ].join('\n'),
  )
})

it('a night has its figures in words', () => {
  const prices = {
    fresh: 10,
    late: 1,
    stale: 0,
    suspended: 0,
    ended: 0,
    unwatched: 0,
    unpriced: 0,
    withheld: 0,
  }
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
  const snapshot = '2026-11-20-3f9c2ab4d1e0'
  const notice = noticeOf({ event: 'done', what: 'live', snapshot, slot: 'blue', figures })
  expect(notice.text).toBe(
    [
      'fundpress 2026-11-20: live',
      'Snapshot: 2026-11-20-3f9c2ab4d1e0 in blue',
      'Figures: 11 funds, 1,204 documents, 40 changed, 44 files written, 5,000,000 (5.0 MB), $0.0123, 1 min 15 s',
      'Prices: 10 up to date, 1 late, 0 stale',
      'Where: fund-data/eu',
      `Command: nightly on ${notice.host}, 2026-11-20T01:02:03.000Z`,
    ].join('\n'),
  )
})

it.each([
  ['javascript:alert(1)//', 'a/b', '1'],
  ['https://github.com', 'a/b|x>', '1'],
])('a run on GitHub is only linked if its address is one: %j %j %j', (server, repository, run) => {
  const environment = { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run }
  expect(noticeOf({}, environment).run).toBe(null)
})
