/** Figures of a nightly run and of the live snapshot: one list for the formats of Prometheus and OpenTelemetry. Pure. */

import type { LiveSnapshot } from '../../bucket/live/live.ts'
import type { NightlyLog } from '../nightly/log.ts'
import type { Outcome, RunFacts } from '../nightly/facts.ts'
import { cut, safeLines } from '../safe-text.ts'

export interface Figure {
  /** Without `fundpress.` before it: `nightly.step.duration`. */
  readonly name: string
  readonly help: string
  /** UCUM; counted things in braces. None for a state. */
  readonly unit: '' | 's' | 'By' | `{${string}}`
  readonly values: readonly LabelledValue[]
}

interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Outcomes that the metrics have: a run that only asks leaves none. */
const results = ['done', 'skipped', 'failed', 'refused'] as const satisfies readonly Outcome[]

export function figuresOfRun(facts: RunFacts, log: NightlyLog, now: Date): readonly Figure[] {
  const { night = 0, ...steps } = Object.fromEntries(log.seconds())
  const { outcome, allowed, objections } = facts
  return [
    {
      name: 'nightly.result',
      help: 'How the last nightly run ended: 1 for its result, 0 for the others',
      unit: '',
      values: results.map((result) => ({ labels: { result }, value: Number(result === outcome) })),
    },
    one('nightly.end_timestamp', 'When it ended, as a Unix time', 's', now.getTime() / 1000),
    one('nightly.duration', 'How long it took', 's', night),
    by('step', 'nightly.step.duration', 'How long each step took; build includes check', 's', steps),
    one('nightly.warnings', 'Warnings', '{warning}', log.warnings.length),
    {
      name: 'nightly.objections',
      help: 'What guards had against the data, and whether an operator has allowed it',
      unit: '{objection}',
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
    by('change', 'nightly.objects', 'Objects put and deleted', '{object}', { put, deleted }),
    one('nightly.put_size', 'The size of the objects that were put', 'By', bytes),
    by('operation', 'nightly.requests', 'Requests of the publish to the store', '{request}', requests),
    one('nightly.cost', 'What the store charges for them, in US dollars', '{USD}', cost),
    one(
      'nightly.funds_withheld',
      'Funds whose new prices are implausible, so that the earlier ones stay',
      '{fund}',
      built.withheld.length,
    ),
    one(
      'nightly.documents_changed',
      'Documents that differ from what was live before',
      '{document}',
      changed,
    ),
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
    one('live.since_timestamp', 'When the live snapshot went live, as a Unix time', 's', since),
    one('live.age', 'How long it had been live when this was written', 's', now.getTime() / 1000 - since),
    one('live.as_of_timestamp', 'Its as-of date: midnight UTC, as a Unix time', 's', midnight),
    one('live.funds', 'Its funds', '{fund}', funds),
    one('live.documents', 'Its documents', '{document}', objects),
    one('live.size', 'The size of its documents', 'By', bytes),
    by('freshness', 'live.prices', 'Its funds by the age of their newest price', '{fund}', { ...freshness }),
  ]
  return labelled(all, { command })
}

export const figuresOfStatus = (alarms: number, now: Date): readonly Figure[] => [
  one('status.end_timestamp', 'When status looked last, as a Unix time', 's', now.getTime() / 1000),
  one('status.alarms', 'Why it failed: how many reasons; 0 if all is well', '{alarm}', alarms),
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
const one = (name: string, help: string, unit: Figure['unit'], value: number | null): Figure => ({
  name,
  help,
  unit,
  values: value === null ? [] : [{ labels: {}, value }],
})

const by = (
  label: string,
  name: string,
  help: string,
  unit: Figure['unit'],
  counts: Readonly<Record<string, number>>,
): Figure => ({
  name,
  help,
  unit,
  values: Object.entries(counts).map(([each, value]) => ({ labels: { [label]: each }, value })),
})

const countGuards = (objections: readonly { readonly guard: string }[], decision: 'allowed' | 'refused') =>
  [...Map.groupBy(objections, ({ guard }) => guard)].map(([guard, group]) => ({
    labels: { guard, decision },
    value: group.length,
  }))
