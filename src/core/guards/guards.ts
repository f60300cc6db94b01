/** The guards, which stop wrong data before it goes live, and the overrides of an operator. Pure. */

import { isDay, isIsin } from '../api/routes/values.ts'
import { shellText } from '../system/shell-text.ts'

/** `subject` narrows the guard in `--allow`, as in `price-jump:DE0008471400`. `setting` decides on it. */
interface Guard {
  readonly refuses: string
  readonly subject: 'ISIN' | 'ISIN,ISIN' | 'endpoint' | 'table' | 'column' | 'setting' | 'day' | null
  readonly setting: string | null
}

const guard = (
  refuses: string,
  subject: Guard['subject'] = null,
  setting: Guard['setting'] = null,
): Guard => ({ refuses, subject, setting })

const strictness = 'expectations.strictness'

/** By name in `--allow`. `npm run generate` lists them in the README of this room. */
export const guards = {
  'price-jump': guard(
    'a NAV far from the one before, beyond what the fund and the market do',
    'ISIN',
    strictness,
  ),
  'price-spread': guard(
    'an issue or repurchase price far from the NAV or in the wrong order, or a price that is not above zero',
    'ISIN',
    strictness,
  ),
  'price-change': guard('a change, change in percent or performance that the NAVs do not have', 'ISIN'),
  'corporate-action': guard('a corporate action that the NAVs contradict', 'ISIN'),
  figure: guard('a performance of another table that the prices contradict', 'ISIN'),
  'high-costs': guard('new costs and fees of 20 % or more, which are most likely in the wrong unit', 'ISIN'),
  'currency-change': guard('another currency while prices go on', 'ISIN'),
  swapped: guard(
    'new prices of two funds that each continue the prices of the other',
    'ISIN,ISIN',
    strictness,
  ),
  column: guard(
    'values of a column that have changed for many funds as they never do, or that many have lost',
    'column',
    strictness,
  ),
  'missing-prices': guard(
    'funds without the new price that was expected, while others have one',
    null,
    strictness,
  ),
  'lost-funds': guard('fewer funds than are live, or fewer with a price', null, strictness),
  'lost-documents': guard('fewer documents of an endpoint, or none', 'endpoint', strictness),
  'lost-rows': guard('fewer rows of a table, or none', 'table', strictness),
  'changed-prices': guard(
    'many prices that are live and would have other values, or those of many funds on an old day',
    'day',
    strictness,
  ),
  'renamed-funds': guard('many funds with other names, or with the names of each other', null, strictness),
  'new-funds': guard('many funds that are not live, into which none has merged', null, strictness),
  settings: guard('an address, a publisher, a licence or keys that are not those of what is live', 'setting'),
  older: guard('an as-of date, or a newest price, before the live one'),
  'stale-prices': guard('too many funds with stale prices', null, strictness),
  deletes: guard('many objects that are live and would be gone', null, strictness),
  'future-date': guard('an as-of date in the future (Europe/Berlin)'),
  clock: guard("a machine whose clock differs from the store's by more than 15 minutes"),
  incomplete: guard('a database without the complete load of the expected day', null, 'requireComplete'),
  hold: guard('anything but what a rollback has made live, until somebody lifts its hold'),
  'withdrawn-again': guard('a rollback to what gives out data that have been withdrawn since', 'ISIN'),
  signature: guard('a snapshot that no trusted key has signed, where the settings name a key'),
  'old-edge': guard('a slot that a known edge (bucket.edges) cannot read'),
  'removed-rows': guard('an import that removes many rows that no others replace, or a fund', 'table'),
} as const satisfies Readonly<Record<string, Guard>>

export type GuardName = keyof typeof guards

export interface Objection {
  readonly guard: GuardName
  /** The ISIN, two ISINs, the endpoint, the table or the setting; null for a guard without subjects. */
  readonly subject: string | null
  /** The fault, as a part of a sentence. */
  readonly message: string
  /** The state that it is about, such as a missing day: while that lasts, later nights do not tell it again. */
  readonly state?: string
  /** The live figure, the new one, and the limit. Absent where a guard compares no figures. */
  readonly figures?: Readonly<{ before: string | number; after: string | number; limit: string | number }>
}

/** The permission of an operator. `who` is there even if nothing is allowed. */
export interface Override {
  /** `price-jump`, `price-jump:DE0008471400` or `swapped:DE0008471400,LU0123456789`. */
  readonly allow: readonly string[]
  /** `--force`: everything is allowed. */
  readonly isForced: boolean
  /** Null if nothing is allowed. */
  readonly reason: string | null
  readonly who: string
}

/** Kept with the night, and published in `changes/`. */
export interface AllowedObjection extends Objection {
  readonly who: string
  readonly reason: string
}

/** An entry for each operator and reason: one operator may build a snapshot, and another publish it. */
export function byOperator(allowed: readonly AllowedObjection[]) {
  const groups = Map.groupBy(allowed, ({ who, reason }) => JSON.stringify([who, reason]))
  return [...groups].map(([key, objections]) => {
    const [who, reason] = JSON.parse(key) as readonly [string, string]
    return { who, reason, objections }
  })
}

/** @param text a list with commas @returns undefined for an unknown guard, or a subject that the guard cannot have */
export function parseAllowed(text: string): readonly string[] | undefined {
  // A comma before an ISIN separates no guards: swapped:DE0008471400,LU0123456789.
  const all = text.split(/,(?!\s*[A-Za-z]{2}[A-Za-z0-9]{9}[0-9]\s*(?:,|$))/).map(parseOne)
  return all.includes(undefined) ? undefined : all.filter((one) => one !== undefined)
}

function parseOne(text: string): string | undefined {
  const [name = '', subject, ...rest] = text.trim().split(':')
  const known = Object.hasOwn(guards, name) ? guards[name as GuardName] : undefined
  if (known === undefined || rest.length > 0) return undefined
  if (subject === undefined) return name
  if (known.subject === null || subject === '') return undefined
  if (known.subject === 'day' && !isDay(subject)) return undefined
  if (known.subject !== 'ISIN' && known.subject !== 'ISIN,ISIN') return `${name}:${subject}`
  const isins = subject.split(',').map((isin) => isin.trim().toUpperCase())
  const isRight = isins.length === known.subject.split(',').length && isins.every(isIsin)
  return isRight ? `${name}:${isins.sort().join()}` : undefined
}

export function judge(objections: readonly Objection[], override: Override) {
  const { allow, isForced, reason, who } = override
  const isAllowed = ({ guard: name, subject }: Objection) =>
    isForced || allow.includes(name) || (subject !== null && allow.includes(`${name}:${subject}`))
  return {
    refused: objections.filter((one) => !isAllowed(one)),
    allowed: objections
      .filter(isAllowed)
      .map((one): AllowedObjection => ({ ...one, who, reason: reason ?? '' })),
  }
}

const subjectsNamed = 10

/** The value of `--allow` for these objections: `lost-funds,price-jump:DE0008471400`; for many subjects the guard alone. */
export function allowanceFor(objections: readonly Objection[]): string {
  const names = [...Map.groupBy(objections, ({ guard: name }) => name)].flatMap(([name, found]) => {
    const subjects = new Set(found.map(({ subject }) => (subject === null ? name : `${name}:${subject}`)))
    return subjects.size > subjectsNamed ? [name] : [...subjects]
  })
  return names.join(',')
}

/** The flags that allow objections: `--allow lost-funds,price-jump:DE0008471400 --reason "…"`. */
export function flagsThatAllow(objections: readonly Objection[]): string {
  const allowance = allowanceFor(objections)
  // Subjects come from data: nobody is told a command with a character that a shell knows.
  const word = /^[\w:,.-]+$/.test(allowance) ? allowance : shellText(allowance)
  return `--allow ${word} --reason "…"`
}

/** Guards of figures that an import computes from the NAVs. */
const derived: readonly string[] = ['price-change']

/** The remedy for data that no operator should allow: sentences that end with a blank, or ''. */
export const remedyFor = (objections: readonly Objection[]) =>
  objections.some(({ guard: name }) => derived.includes(name))
    ? 'If the NAVs are right, import these prices again with --derive; columns isin and date are enough. '
    : ''

/** A guard refuses the data, until they are corrected or allowed. The exit code is 3. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly objections: readonly Objection[]

  /** @param what is refused, as the beginning of the message: `the snapshot` */
  constructor(what: string, objections: readonly Objection[]) {
    const named = objections.slice(0, 10).map(({ message }) => message)
    if (objections.length > named.length) named.push(`and ${objections.length - named.length} more`)
    const remedy = remedyFor(objections)
    const right = remedy === '' ? 'If that is right' : `${remedy}If all is right as it is`
    super(`${what} is refused: ${named.join('; ')}. ${right}, allow it: ${flagsThatAllow(objections)}`)
    this.objections = objections
  }
}

/** @returns the allowed objections @throws {Refusal} that names every other objection */
export function refuseUnlessAllowed(what: string, objections: readonly Objection[], override: Override) {
  const { refused, allowed } = judge(objections, override)
  if (refused.length > 0) throw new Refusal(what, refused)
  return allowed
}
