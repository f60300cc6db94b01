/** A notice for people and programs: one event with its facts. Every text is one harmless line. */

import { hostname } from 'node:os'
import type { NightlyFigures } from '../../core/bucket/nightly/history.ts'
import type { FreshnessCounts } from '../../core/guards/assess.ts'
import { flagsThatAllow, type Objection } from '../../core/guards/guards.ts'
import type { Session } from '../../core/cli/command.ts'
import { countOf, describeFreshness, formatBytes, formatCount } from '../../core/cli/format.ts'
import { formatDollars, formatDuration } from '../../core/cli/format.ts'
import { firstOf } from '../../core/cli/nightly/news.ts'
import { cut, statement } from '../../core/cli/safe-text.ts'
import type { NoticeEvent } from './settings.ts'

/** The JSON that targets get, which is public: see the README of this folder. */
export interface Notice {
  readonly format: 1
  readonly event: NoticeEvent | 'test'
  /** Of `stale` and `late`: whether the state has begun or ended; null of what is no state. */
  readonly state: 'begun' | 'ended' | null
  readonly title: string
  /** The whole notice in lines, for chats and mails. */
  readonly text: string
  /** ISO 8601 with time */
  readonly time: string
  readonly command: string
  /** The bucket with its prefix, or the address of a deployment. */
  readonly place: string | null
  readonly asOf: string | null
  readonly snapshot: string | null
  readonly reverted: string | null
  readonly slot: string | null
  readonly step: string | null
  readonly reason: string | null
  /** A line each for funds that are gone, public or restricted now, and for changed prices. */
  readonly news: readonly string[]
  /** Errors that led to the event, warnings, or funds. */
  readonly details: readonly string[]
  readonly objections: readonly NoticeObjection[]
  /** Objections that are left out. */
  readonly moreObjections: number
  /** The flags that allow the objections. */
  readonly allow: string | null
  /** The operator who allowed the objections, or rolled back. */
  readonly who: string | null
  /** Earlier refusals and failures of the day of a `done`. */
  readonly failures: number
  readonly figures: NoticeFigures | null
  readonly host: string
  readonly run: string | null
}

type NoticeObjection = Pick<Objection, 'subject' | 'message'> & { readonly guard: string }

/** Absent where the command does not know them. `changed`: documents that differ from the live ones before; null: not known. */
interface NoticeFigures extends Partial<Pick<NightlyFigures, (typeof figureNames)[number]>> {
  readonly prices?: FreshnessCounts
}
const figureNames = ['funds', 'documents', 'changed', 'written', 'bytes', 'cost', 'seconds'] as const

export type NoticeFacts = Pick<Notice, 'event' | 'command'> &
  Partial<
    Omit<
      Notice,
      'format' | 'title' | 'text' | 'objections' | 'host' | 'time' | 'allow' | 'moreObjections' | 'run'
    >
  > & {
    /** The title after the as-of date: `failed in check`. */
    readonly what: string
    readonly objections?: readonly Objection[]
  }

const listed = 10
const newsListed = 8
/** In bytes. Chats take 28 KB in all, and cut longer texts. */
const maxText = 4000
const maxLine = { title: 140, guard: 60, reason: 1000, allow: 2500, news: 900, other: 300 }

export function createNotice(
  session: Session,
  { what, objections = [], details = [], news = [], ...facts }: NoticeFacts,
): Notice {
  const { environment, now, settings } = session
  const line = (text: string, most = maxLine.other) => cut(statement(text), most)
  const safe = (text: string | null | undefined, most?: number) =>
    text === null || text === undefined ? null : line(text, most)
  const asOf = safe(facts.asOf)
  const record: Omit<Notice, 'text'> = {
    format: 1,
    event: facts.event,
    state: facts.state ?? null,
    title: line(`fundpress${asOf === null ? '' : ` ${asOf}`}: ${what}`, maxLine.title),
    time: now().toISOString(),
    command: facts.command,
    place: safe(facts.place ?? bucketAndPrefix(settings)),
    asOf,
    snapshot: safe(facts.snapshot),
    reverted: safe(facts.reverted),
    slot: safe(facts.slot),
    step: safe(facts.step),
    reason: safe(facts.reason, maxLine.reason),
    news: news.slice(0, newsListed).map((text) => line(text, maxLine.news)),
    details: firstOf(details, listed).map((text) => line(text)),
    objections: objections.slice(0, listed).map(({ guard, subject, message }) => ({
      // The name of an allowed guard may come from a shard.
      guard: line(guard, maxLine.guard),
      subject: safe(subject),
      message: line(message),
    })),
    moreObjections: Math.max(0, objections.length - listed),
    allow:
      objections.length > 0 && facts.event === 'refused'
        ? safe(flagsThatAllow(objections), maxLine.allow)
        : null,
    who: safe(facts.who),
    failures: facts.failures ?? 0,
    figures: facts.figures ? publicFigures(facts.figures) : null,
    host: line(hostname()),
    run: runOnGithub(environment),
  }
  return { ...record, text: textOf(record) }
}

/** Drops figures that are not in the webhook's JSON. */
const publicFigures = (figures: NoticeFigures): NoticeFigures => {
  const names: readonly string[] = [...figureNames, 'prices']
  return Object.fromEntries(Object.entries(figures).filter(([name]) => names.includes(name)))
}

export const bucketAndPrefix = ({ bucket: { name, prefix } }: Session['settings']) =>
  name === null || prefix === '' ? name : `${name}/${prefix}`

/** Source: GitHub's documentation, "Default environment variables". */
function runOnGithub(environment: Session['environment']): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = environment
  const address = `${server ?? ''}/${repository ?? ''}/actions/runs/${run ?? ''}`
  return /^https:\/\/[\w.:-]+\/[\w.-]+\/[\w.-]+\/actions\/runs\/\d+$/.test(address) ? address : null
}

/** Lists come last, because a long text is cut. */
function textOf(notice: Omit<Notice, 'text'>): string {
  const { title, reason, news, details, objections, moreObjections, who, figures, slot, snapshot } = notice
  const objected = objections.map(({ guard, subject, message }) =>
    subject === null ? `${guard}: ${message}` : `${guard}:${subject}: ${message}`,
  )
  if (moreObjections > 0) objected.push(`and ${formatCount(moreObjections)} more`)
  const isAllowed = notice.event === 'forced'
  const rows: readonly (readonly [label: string, text: string | null | undefined])[] = [
    ['Reason', reason],
    ['By', who],
    ['If it is right', notice.allow === null ? null : `run it again with ${notice.allow}`],
    ['Snapshot', snapshot === null || slot === null ? snapshot : `${snapshot} in ${slot}`],
    ['Reverted', notice.reverted],
    ['Step', notice.step],
    ['Figures', figures === null ? null : describeFigures(figures)],
    ['Prices', figures?.prices && describeFreshness(figures.prices)],
    ['Where', notice.place],
    ['Command', `${notice.command} on ${notice.host}, ${notice.time}`],
    ['Run', notice.run],
    ['News', news.join('\n  ')],
    [notice.event === 'warned' ? 'Warnings' : 'Details', details.join('\n  ')],
    [isAllowed ? 'Allowed' : 'Refused', objected.join('\n  ')],
  ]
  const lines = rows.flatMap(([label, text]) =>
    text === null || text === undefined || text === '' ? [] : [`${label}: ${text}`],
  )
  return cut(withoutMarkup([title, ...lines].join('\n')), maxText)
}

/** Names of funds are data: they must not call everybody in a chat, or become links with another text. */
const withoutMarkup = (text: string) => text.replace(/[<>@[\]]/g, (sign) => harmless[sign] ?? '')
/** Signs that look alike, for those of Slack, Mattermost, Google Chat and Discord. */
const harmless: Readonly<Record<string, string>> = {
  '<': '\u2039',
  '>': '\u203a',
  '@': '\uff20',
  '[': '(',
  ']': ')',
}

function describeFigures(figures: NoticeFigures): string {
  const { funds, documents, changed, written, bytes, cost, seconds } = figures
  const parts = [
    funds === undefined ? null : countOf(funds, 'fund'),
    documents === undefined ? null : countOf(documents, 'document'),
    changed === undefined || changed === null ? null : `${formatCount(changed)} changed`,
    written === undefined ? null : `${countOf(written, 'file')} written`,
    bytes === undefined ? null : formatBytes(bytes),
    cost === undefined ? null : formatDollars(cost),
    seconds === undefined ? null : formatDuration(seconds),
  ]
  return parts.filter((part) => part !== null).join(', ')
}
