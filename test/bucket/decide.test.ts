/** What a command has to do, by what the bucket says: a row a case. */
import { expect, it } from 'vitest'
import { decide, type Candidate, type Situation } from '../../src/core/bucket/live/decide.ts'
import type { Live } from '../../src/core/bucket/live/live.ts'

const old = '2026-11-19-aaaaaaaaaaaa'
const now = '2026-11-20-bbbbbbbbbbbb'
const next = '2026-11-21-cccccccccccc'

const named = (snapshot: string, slot: Live['slot'], previous: Live | null = null): Live => ({
  format: 1,
  slot,
  snapshot,
  asOf: snapshot.slice(0, 10),
  funds: 1,
  objects: 1,
  bytes: 1,
  newestPrice: null,
  docsUrl: '/docs',
  liveSince: '2026-11-20T01:00:00.000Z',
  previous,
  freshness: { fresh: 1, late: 0, stale: 0, suspended: 0, ended: 0, unwatched: 0, unpriced: 0, withheld: 0 },
  earlierDownloads: {},
})
const before = named(old, 'blue')
const live = named(now, 'green', before)
const staged = named(next, 'blue', live)
const list = 'journal/1.changes.ndjson.gz'

const quiet: Situation = {
  live,
  staged: null,
  hasStagedFile: false,
  journal: { changing: {} },
  held: old,
  isRepair: false,
  slots: 2,
}
const oldest = '2026-11-18-dddddddddddd'
const further = named(oldest, 'slot-3')
const three = { live: { ...live, older: [further] } }
const torn = { journal: { changing: { blue: list } } }
const isStaged = { staged, hasStagedFile: true, held: next }

const publish = (id: string): Candidate => ({
  kind: 'snapshot',
  isThis: ({ snapshot }) => snapshot === id,
  isStaging: false,
})
const stage = (id: string): Candidate => ({
  kind: 'snapshot',
  isThis: ({ snapshot }) => snapshot === id,
  isStaging: true,
})
const flip = (snapshot: string): Candidate => ({ kind: 'staged', snapshot })
const back = (snapshot: string | null = null): Candidate => ({ kind: 'before', snapshot })
const into = (slot: string, torn: string | null, isTrusted: boolean) => ({
  kind: 'publish',
  slot,
  torn,
  isTrusted,
})
const refused = (why: string) => ({ kind: 'refusal', why: expect.stringContaining(why) as string })

it.each<readonly [string, Candidate, Partial<Situation>, object]>([
  ['a publish of what is live', publish(now), {}, { kind: 'nothing', named: live, isStaged: false }],
  ['a repair of what is live', publish(now), { isRepair: true }, into('blue', null, false)],
  ['a publish of another snapshot', publish(next), {}, into('blue', null, true)],
  ['a publish into an empty bucket', publish(next), { live: null, held: null }, into('blue', null, true)],
  ['a publish into a torn slot', publish(next), torn, into('blue', list, false)],
  ['a publish after a lost journal', publish(next), { journal: null }, into('blue', 'journal/lost', false)],
  [
    'a publish whose list is that of what is live',
    publish(next),
    { live: { ...live, previous: { ...before, changes: list } }, ...torn },
    into('blue', null, true),
  ],
  ['a publish of what is staged', publish(next), isStaged, { kind: 'flip', slot: 'blue', named: staged }],
  [
    'a publish of what staged.json names and the slot does not hold',
    publish(next),
    { ...isStaged, held: old },
    into('blue', null, true),
  ],
  [
    'a publish of what is staged in a torn slot',
    publish(next),
    { ...isStaged, ...torn },
    into('blue', list, false),
  ],
  ['a repair of what is staged', publish(next), { ...isStaged, isRepair: true }, into('blue', null, false)],
  ['a publish of another than what is staged', publish(old), isStaged, into('blue', null, true)],
  ['a stage of what is staged', stage(next), isStaged, { kind: 'nothing', named: staged, isStaged: true }],
  ['a stage of what is live', stage(now), isStaged, { kind: 'nothing', named: live, isStaged: false }],
  ['a stage of another snapshot', stage(next), {}, into('blue', null, true)],
  ['a flip of what is staged', flip(next), isStaged, { kind: 'flip', slot: 'blue', named: staged }],
  ['a flip of what is live already', flip(now), {}, { kind: 'nothing', named: live, isStaged: false }],
  ['a flip with nothing staged', flip(next), {}, refused(`nothing is staged, ${now} is live`)],
  ['a flip of another than what is staged', flip(old), isStaged, refused(`${next} is staged, not ${old}`)],
  ['a flip after another snapshot went live', flip(next), { hasStagedFile: true }, refused('stage it again')],
  [
    'a flip of what the slot does not hold',
    flip(next),
    { ...isStaged, held: old },
    refused('publish with --repair'),
  ],
  ['a flip in a torn slot', flip(next), { ...isStaged, ...torn }, refused('a publish was stopped in it')],
  ['a rollback', back(), {}, { kind: 'flip', slot: 'blue', named: before }],
  ['a rollback to the snapshot before', back(old), {}, { kind: 'flip', slot: 'blue', named: before }],
  ['a rollback to another one', back(next), {}, refused(`blue holds ${old}, not ${next}`)],
  ['a rollback to what is live', back(now), {}, refused(`${now} is live already`)],
  ['a rollback with nothing live', back(), { live: null }, refused('nothing is live')],
  ['a rollback to an empty slot', back(), { held: null }, refused('blue holds no snapshot')],
  ['a rollback to a torn slot', back(), torn, refused('a publish was stopped in it')],
  ['a rollback while another one is staged', back(), isStaged, refused(`\`fundpress flip ${next}\``)],
  ['a rollback to what was never live', back(), { held: next }, refused('which was not live before')],
  [
    'a rollback to what was never live, by its name',
    back(next),
    { held: next },
    { kind: 'flip', slot: 'blue', named: null },
  ],
  ['a publish with an unused slot', publish(next), { slots: 3 }, into('slot-3', null, true)],
  ['a publish with three used slots', publish(next), { ...three, slots: 3 }, into('slot-3', null, true)],
  ['a publish after slots were taken away', publish(next), three, into('blue', null, true)],
  ['a stage where another one is staged', stage(old), { ...three, ...isStaged }, into('blue', null, true)],
  ['a rollback with three slots', back(), three, { kind: 'flip', slot: 'blue', named: before }],
  [
    'a rollback to an older one',
    back(oldest),
    { ...three, held: oldest },
    { kind: 'flip', slot: 'slot-3', named: further },
  ],
  [
    'a rollback to an older one beside a staged one',
    back(oldest),
    { ...three, ...isStaged, held: oldest },
    { kind: 'flip', slot: 'slot-3', named: further },
  ],
  [
    'a rollback to an older one in a torn slot',
    back(oldest),
    { ...three, held: oldest, journal: { changing: { 'slot-3': list } } },
    refused('a publish was stopped in it'),
  ],
  [
    'a publish where the live slot is named twice',
    publish(next),
    { live: { ...live, previous: { ...before, slot: 'green' } } },
    into('blue', null, true),
  ],
])('%s', (_, candidate, situation, decision) => {
  expect(decide(candidate, { ...quiet, ...situation })).toEqual(decision)
})
