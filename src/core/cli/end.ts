/** The end of runs: the history keeps it, and each extension is asked (`ended.ts`). Nothing of that can fail a run. */

import type { Diagnosis } from '../bucket/doctor/diagnosis.ts'
import type { NewEvent } from '../bucket/nightly/history.ts'
import type { Extension } from '../extension.ts'
import { type Objection, Refusal } from '../guards/guards.ts'
import type { Session, Surroundings } from './command.ts'
import type { Aged, Ended, LoadState, Measured, Night } from './ended.ts'
import { reasonOf, UsageError } from './failure.ts'
import { whoIs } from './from-settings.ts'
import { eventsOf, keepRun, noteUntold } from './events.ts'
import { factsOf, type Known, type RunFacts } from './facts.ts'

type Hooks = readonly Ended[]
type Warn = (warning: string) => unknown

/** The facts of a run that an error has ended. The reason of a stopped run is its signal. */
export function factsOfFailure(session: Session, error: unknown, known: Known): RunFacts {
  const { signal } = session
  const isRefusal = error instanceof Refusal && !signal.aborted
  return factsOf({
    asOf: null,
    who: whoIs(session),
    ...known,
    outcome: isRefusal ? 'refused' : 'failed',
    reason: reasonOf(signal.aborted ? signal.reason : error),
    objections: isRefusal ? error.objections : [],
  })
}

/** Reports the end of a command that is no nightly run. */
export async function endRun(session: Session, facts: RunFacts, isLocking: boolean): Promise<void> {
  const warn = session.stderr.tell
  await keepRun(session, { events: eventsOf(facts) }, isLocking, warn)
  await tellRun(await hooksOf(session, warn), session, facts, warn)
}

/** Reports a run that fails. @throws the error of the work */
export const endIfFailed = <T>(
  session: Session,
  isLocking: boolean,
  known: () => Promise<Known> | Known,
  work: Promise<T>,
): Promise<T> =>
  work.catch(async (error: unknown) => {
    await endRun(session, factsOfFailure(session, error, await known()), isLocking)
    throw error
  })

/** Tells of a failure that the history does not keep. */
export async function tellFailure(session: Session, error: unknown, known: Known): Promise<void> {
  const warn = session.stderr.tell
  await tellRun(await hooksOf(session, warn), session, factsOfFailure(session, error, known), warn)
}

/** Tells news of what stays live or staged though its run fails. */
export async function tellNews(session: Session, facts: RunFacts, warn: Warn): Promise<void> {
  await askAll(await hooksOf(session, warn), warn, (hook) => hook.news?.(session, facts, warn))
}

interface NightEnd extends Omit<Night, 'facts'> {
  /** The file of --summary. */
  readonly summary: string | undefined
  readonly isLocking: boolean
  /** Events that the history does not have yet. */
  readonly events: readonly NewEvent[]
}

/** Reports the end of a nightly run: leaves files, keeps events, then tells. */
export async function endNight(
  session: Session,
  given: RunFacts,
  { isLocking, events, summary, ...rest }: NightEnd,
): Promise<void> {
  const { warn } = rest
  const night: Night = { ...rest, facts: given }
  const hooks = await hooksOf(session, warn)
  const unwritten = (reason: string) => warn(`its summary could not be written: ${reason}`)
  const leaving = Promise.all([
    summary !== undefined && askAll(hooks, unwritten, (hook) => hook.summary?.(summary, night)),
    askAll(hooks, warn, (hook) => hook.night?.(session, night)),
  ])
  const history = (await keepRun(session, { events }, isLocking, warn)) ?? given.history
  const facts = { ...given, history }
  const isTold = await tellRun(hooks, session, facts, warn)
  const isUntold = !isTold && facts.reason !== null && history !== null
  if (isUntold) await noteUntold(session, eventsOf(facts), isLocking, warn)
  await leaving
}

/** Leaves a refusal to the workflow that runs the command, which fails in any case. */
export async function leaveRefusal(
  surroundings: Pick<Surroundings, 'extensions' | 'environment'>,
  objections: readonly Objection[],
  warn: Warn,
): Promise<void> {
  const hooks = await hooksOf(surroundings, warn)
  await askAll(hooks, warn, (hook) => hook.refused?.(surroundings.environment, objections))
}

/** Tells that what is live is late, or that its prices are stale. */
export async function tellAges(session: Session, found: Aged): Promise<void> {
  if (found.late.length === 0 && found.stale.length === 0) return
  const warn = session.stderr.tell
  await askAll(await hooksOf(session, warn), warn, (hook) => hook.aged?.(session, found, warn))
}

/** Tells that a load is late, or that it has come. @returns true if somebody was told */
export async function tellLoad(session: Session, found: LoadState): Promise<boolean> {
  const warn = session.stderr.tell
  const told = await askAll(await hooksOf(session, warn), warn, (hook) => hook.load?.(session, found, warn))
  return told.includes(true)
}

/** @throws {UsageError} if no extension writes the summary of a night */
export async function assertSummary(session: Session): Promise<void> {
  const hooks = await hooksOf(session, session.stderr.tell)
  if (!hooks.some(({ summary }) => summary !== undefined)) throw new UsageError(`--summary: ${readByNone}`)
}

/**
 * @returns what leaves figures of `status`, and returns why they could not be written
 * @throws {UsageError} if no extension leaves any, or the file is not for them
 */
export async function openFigures(
  session: Session,
  file: string,
): Promise<(found: Measured) => readonly string[]> {
  const hooks = await hooksOf(session, session.stderr.tell)
  const writing = hooks.flatMap(({ measured }) => measured?.(session, file) ?? [])
  if (writing.length === 0) throw new UsageError(`--metrics: ${readByNone}`)
  return (found) =>
    writing.flatMap((write) => {
      try {
        write(found)
        return []
      } catch (error) {
        return [`${file} could not be written: ${reasonOf(error)}`]
      }
    })
}

const readByNone = 'this fundpress has no extension that reads it'

/** What `check --bucket` says of the settings of extensions. */
export async function diagnoseEnds(session: Session): Promise<readonly Diagnosis[]> {
  const hooks = await hooksOf(session, session.stderr.tell)
  return hooks.flatMap((hook) => hook.settings?.(session) ?? [])
}

/** @returns false if somebody wants to know it, and nobody was told */
async function tellRun(hooks: Hooks, session: Session, facts: RunFacts, warn: Warn): Promise<boolean> {
  const told = await askAll(hooks, warn, (hook) => hook.run?.(session, facts, warn))
  return !told.includes(false)
}

/** Loads them only now: a run with nothing to do starts fast. */
async function hooksOf({ extensions }: Pick<Surroundings, 'extensions'>, warn: Warn): Promise<Hooks> {
  const load = ({ ended }: Extension) => attempt(warn, async () => (await ended?.())?.ended)
  const loaded = await Promise.all(extensions.list.map(load))
  return loaded.filter((hook) => hook !== undefined)
}

/** Each begins before any of them waits. @returns undefined for what has failed */
const askAll = <T>(hooks: Hooks, warn: Warn, question: (hook: Ended) => T | Promise<T>) =>
  Promise.all(hooks.map((hook) => attempt(warn, () => question(hook))))

async function attempt<T>(warn: Warn, work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    warn(reasonOf(error))
    return undefined
  }
}
