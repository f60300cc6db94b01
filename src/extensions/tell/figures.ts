/** Figures of a nightly run and of the live snapshot: named as Prometheus wants it. Pure. */

import type { LiveSnapshot } from '../../core/bucket/live/live.ts'
import type { Night } from '../../core/cli/ended.ts'
import type { Outcome, RunFacts } from '../../core/cli/facts.ts'
import { cut, safeLines } from '../../core/cli/safe-text.ts'

export interface Figure {
  /** Without `fundpress_` before it, with the unit at its end: `nightly_step_duration_seconds`. */
  readonly name: string
  readonly help: string
  readonly values: readonly LabelledValue[]
}

interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Outcomes that the metrics have: a run that only asks leaves none. */
const results = ['done', 'skipped', 'failed', 'refused'] as const satisfies readonly Outcome[]

export function figuresOfRun({ facts, warnings, seconds }: Night, now: Date): readonly Figure[] {
  const { night = 0, ...steps } = Object.fromEntries(seconds)
  const { outcome, allowed, objections } = facts
  return [
    {
      name: 'nightly_result',
      help: 'How the last nightly run ended: 1 for its result, 0 for the others',
      values: results.map((result) => ({ labels: { result }, value: Number(result === outcome) })),
    },
    one('nightly_end_timestamp_seconds', 'When it ended, as a Unix time', now.getTime() / 1000),
    one('nightly_duration_seconds', 'How long it took', night),
    by('step', 'nightly_step_duration_seconds', 'How long each step took; build includes check', steps),
    one('nightly_warnings', 'Warnings', warnings.length),
    {
      name: 'nightly_objections',
      help: 'What guards had against the data, and whether an operator has allowed it',
      values: [...countGuards(allowed, 'allowed'), ...countGuards(objections, 'refused')],
    },
    ...figuresOfPublish(facts),
  ]
}

function figuresOfPublish({ night, figures }: RunFacts): readonly Figure[] {
  if (night === null) return []
  const { built, published } = night
  const { put, deleted, bytes, requests, changed } = published
  const { cost = 0 } = figures
  return [
    by('change', 'nightly_objects', 'Objects put and deleted', { put, deleted }),
    one('nightly_put_size_bytes', 'The size of the objects that were put', bytes),
    by('operation', 'nightly_requests', 'Requests of the publish to the store', requests),
    one('nightly_cost_dollars', 'What the store charges for them, in US dollars', cost),
    one(
      'nightly_funds_withheld',
      'Funds whose new prices are implausible, so that the earlier ones stay',
      built.withheld.length,
    ),
    one('nightly_documents_changed', 'Documents that differ from what was live before', changed),
  ]
}

/** @param now by the store's clock @param command a label, because nightly and status may write files into one folder */
export function figuresOfLive(
  live: Pick<LiveSnapshot, 'liveSince' | 'asOf' | 'funds' | 'objects' | 'bytes' | 'freshness'>,
  now: Date,
  command: 'nightly' | 'status',
): readonly Figure[] {
  const { liveSince, asOf, funds, objects, bytes, freshness } = live
  const since = Date.parse(liveSince) / 1000
  const midnight = Date.parse(asOf) / 1000
  const all = [
    one('live_since_timestamp_seconds', 'When the live snapshot went live, as a Unix time', since),
    one('live_age_seconds', 'How long it had been live when this was written', now.getTime() / 1000 - since),
    one('live_as_of_timestamp_seconds', 'Its as-of date: midnight UTC, as a Unix time', midnight),
    one('live_funds', 'Its funds', funds),
    one('live_documents', 'Its documents', objects),
    one('live_size_bytes', 'The size of its documents', bytes),
    by('freshness', 'live_prices', 'Its funds by the age of their newest price', { ...freshness }),
  ]
  return labelled(all, { command })
}

export const figuresOfStatus = (alarms: number, now: Date): readonly Figure[] => [
  one('status_end_timestamp_seconds', 'When status looked last, as a Unix time', now.getTime() / 1000),
  one('status_alarms', 'Why it failed: how many reasons; 0 if all is well', alarms),
]

/** Adds labels to all values, so that figures of two buckets do not clash, and drops figures without values. */
export const labelled = (figures: readonly Figure[], labels: LabelledValue['labels']): readonly Figure[] =>
  figures
    .filter(({ values }) => values.length > 0)
    .map((figure) => ({
      ...figure,
      values: figure.values.map(({ labels: own, value }) => ({ labels: safe({ ...labels, ...own }), value })),
    }))

/** Names come from settings, and names of allowed guards from shards. */
const safe = (labels: LabelledValue['labels']) =>
  Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, cut(safeLines(text), 200)]))

/** @param value null: not known */
const one = (name: string, help: string, value: number | null): Figure => ({
  name,
  help,
  values: value === null ? [] : [{ labels: {}, value }],
})

const by = (label: string, name: string, help: string, counts: Readonly<Record<string, number>>): Figure => ({
  name,
  help,
  values: Object.entries(counts).map(([each, value]) => ({ labels: { [label]: each }, value })),
})

const countGuards = (objections: readonly { readonly guard: string }[], decision: 'allowed' | 'refused') =>
  [...Map.groupBy(objections, ({ guard }) => guard)].map(([guard, group]) => ({
    labels: { guard, decision },
    value: group.length,
  }))
