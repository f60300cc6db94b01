/**
 * The heartbeat: one address that waits for each nightly run, and tells people if none comes.
 * Sources: healthchecks.io, "Pinging API"; Uptime Kuma, server/routers/api-router.js.
 */

import { randomUUID } from 'node:crypto'
import type { Session } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { describeObjections } from '../format.ts'
import type { NightlyLog } from '../nightly/log.ts'
import type { EndedRun, NightlyReport } from '../nightly/report.ts'
import { cut, safeLines } from '../safe-text.ts'
import { addressOf, send, type SendLimits } from './send.ts'

/** A start that does not arrive costs little, and the run waits for it. */
const startLimits: SendLimits = { attempts: 2, attemptMs: 2500, totalMs: 5000 }
const endLimits: SendLimits = { attempts: 4, attemptMs: 4000, totalMs: 10_000 }
/** Whoever sent SIGTERM kills the process soon. */
const hurriedLimits: SendLimits = { attempts: 2, attemptMs: 2000, totalMs: 4000 }

/** `outcome` has one line, `log` the last lines of the log, `ms` is the duration. */
interface RunEnd {
  readonly hasFailed: boolean
  readonly outcome: string
  readonly log: string
  readonly ms: number
}

/** Both throw an `Error` that names the host, if it did not take the sign of life. */
interface Service {
  /** Undefined if the service knows no start. */
  readonly start?: (limits: SendLimits) => Promise<void>
  readonly end: (end: RunEnd, limits: SendLimits) => Promise<void>
}

/** Tells the monitor that the run begins. @returns what tells it the end. Neither throws: a failure is a warning. */
export async function startHeartbeat(
  session: Session,
  log: NightlyLog,
): Promise<(ended: EndedRun) => Promise<void>> {
  const { url, service: named } = session.settings.heartbeat
  if (url === null) return () => Promise.resolve()
  const warn = (error: unknown) => log.warn('night', `heartbeat: ${reasonOf(error)}`)
  let service: Service
  try {
    const address = addressOf(url, 'heartbeat.url', session)
    const isKuma = named === null ? isPushUrl(address) : named === 'uptime-kuma'
    service = isKuma ? uptimeKuma(address) : healthchecks(address, randomUUID())
  } catch (error) {
    warn(error)
    return () => Promise.resolve()
  }
  await service.start?.(startLimits).catch(warn)
  return async ({ report }) => {
    const hasFailed = report.kind === 'failed' || report.kind === 'refused'
    const outcome = outcomeOf(report)
    const objections = report.kind === 'refused' ? safeLines(describeObjections(report.objections)) : ''
    // The program itself ends with the reason, which is not in the log.
    const lines = log.lastLines() + objections + (hasFailed ? `${outcome}\n` : '')
    const ms = Math.round((log.seconds().get('night') ?? 0) * 1000)
    await service
      .end({ hasFailed, outcome, log: lines, ms }, session.signal.aborted ? hurriedLimits : endLimits)
      .catch(warn)
  }
}

/** What healthchecks.io keeps of a body, in bytes. It would keep the beginning, but a log says at its end what happened. */
const maxBody = 100_000

/** @param run so that the service knows which end belongs to which start */
function healthchecks(address: URL, run: string): Service {
  const ping = async (path: string, limits: SendLimits, body: string | Uint8Array<ArrayBuffer> = '') => {
    const url = new URL(address)
    url.pathname = url.pathname.replace(/\/+$/, '') + path
    url.searchParams.set('rid', run)
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    const answer = await send(url, { method: 'POST', headers, body }, limits)
    // It answers 200 also if there is no such check, or if it ignored the ping.
    const [, problem] = /^OK \((not found|rate limited)\)/.exec(answer) ?? []
    if (problem === 'not found') throw new Error(`${url.host} knows no check with this address`)
    if (problem !== undefined) throw new Error(`${url.host} has ignored a ping: too many in one minute`)
  }
  return {
    start: (limits) => ping('/start', limits),
    end: ({ hasFailed, log }, limits) => ping(hasFailed ? '/fail' : '', limits, endOf(log, maxBody)),
  }
}

/** The last whole lines that have at most so many bytes. */
function endOf(text: string, most: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return bytes
  const end = bytes.subarray(-most)
  return end.subarray(end.indexOf('\n') + 1)
}

const isPushUrl = ({ pathname }: URL) => /\/api\/push\/[^/]+\/?$/.test(pathname)

/** It refuses a duration of more than a day. */
const maxPing = 86_400_000
const maxMessage = 300

function uptimeKuma(address: URL): Service {
  return {
    end: async ({ hasFailed, outcome, ms }, limits) => {
      const status = hasFailed ? 'down' : 'up'
      const query = { status, msg: cut(outcome, maxMessage), ping: String(Math.min(ms, maxPing)) }
      const url = new URL(address)
      // Replaces the query that its page shows for copying.
      url.search = new URLSearchParams(query).toString()
      await send(url, { method: 'GET' }, limits)
    },
  }
}

/** How a run ended, in one line. */
function outcomeOf(report: NightlyReport): string {
  switch (report.kind) {
    case 'done':
      return `${report.figures.snapshot} is ${report.published.isStaged ? 'staged' : 'live'}`
    case 'skipped':
      return `nothing to do: ${report.snapshot} is ${report.isStaged ? 'staged' : 'live'}`
    case 'open':
      return 'there is something to do'
    case 'failed':
    case 'refused':
      return safeLines(`${report.kind} in ${report.step}: ${report.reason}`)
  }
}
