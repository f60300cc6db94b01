/**
 * The heartbeat: one address that waits for each nightly run, and alerts people if none comes.
 * Sources: healthchecks.io, "Pinging API"; Uptime Kuma, server/routers/api-router.js.
 */

import { randomUUID } from 'node:crypto'
import type { Session } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { describeObjections } from '../format.ts'
import type { NightlyLog } from '../nightly/log.ts'
import { outcomeOf, type RunFacts } from '../nightly/facts.ts'
import { titleOfNews } from '../nightly/news.ts'
import { cut, safeLines } from '../safe-text.ts'
import { secretAddressOf, openAddress } from './address.ts'
import { type DeliveryPatience, type Failed, request, tryOften } from './attempts.ts'

/** Short, because the run waits for it, and a lost start costs little. */
const startPatience: DeliveryPatience = { attempts: 2, attempt: 2500, pause: 250, total: 5000 }
const endPatience: DeliveryPatience = { attempts: 3, attempt: 3000, pause: 500, total: 10_500 }
/** After SIGTERM, SIGKILL comes soon. */
const lastPatience: DeliveryPatience = { attempts: 2, attempt: 2000, pause: 250, total: 4000 }

/** `outcome` has one line, `log` the last lines, `ms` is the duration. */
interface RunEnd {
  readonly hasFailed: boolean
  readonly outcome: string
  readonly log: string
  readonly ms: number
}

interface Service {
  readonly start?: (signal: AbortSignal) => Promise<Failed | null>
  readonly end: (end: RunEnd, signal: AbortSignal) => Promise<Failed | null>
}

/** Reports the start of a run. @returns a function that reports its end. Both log failures as warnings. */
export async function startHeartbeat(
  session: Session,
  log: NightlyLog,
): Promise<(facts: RunFacts) => Promise<void>> {
  const { url, service: named } = session.settings.heartbeat
  if (url === null) return () => Promise.resolve()
  let address: URL
  try {
    address = secretAddressOf(url, 'heartbeat.url', session.environment)
  } catch (error) {
    log.warn('night', `heartbeat: ${reasonOf(error)}`)
    return () => Promise.resolve()
  }
  const isKuma = named === null ? isPushUrl(address) : named === 'uptime-kuma'
  const service = isKuma ? uptimeKuma(address) : healthchecks(address, randomUUID())
  const trying = async (
    beat: (signal: AbortSignal) => Promise<Failed | null>,
    patience: DeliveryPatience,
    signal: AbortSignal,
  ) => {
    const reason = await tryOften(beat, { patience, clock: session.clock, signal })
    if (reason !== null) log.warn('night', `heartbeat: ${address.host}: ${reason}`)
  }
  if (service.start !== undefined) await trying(service.start, startPatience, session.signal)
  return async (facts) => {
    const hasFailed = facts.reason !== null
    const outcome = inOneLine(facts)
    const objections = safeLines(describeObjections(facts.objections))
    // The log lacks the reason, because the program itself prints it.
    const lines = log.lastLines() + objections + (hasFailed ? `${outcome}\n` : '')
    const ms = Math.round((log.seconds().get('night') ?? 0) * 1000)
    const end = { hasFailed, outcome, log: lines, ms }
    const patience = session.signal.aborted ? lastPatience : endPatience
    // A stopped run still reports its end.
    await trying((signal) => service.end(end, signal), patience, new AbortController().signal)
  }
}

/** healthchecks.io keeps this many bytes of the beginning, but the end of a log matters. */
const maxBody = 100_000

/** @param run joins a start and its end */
function healthchecks(address: URL, run: string): Service {
  const opened = openAddress(address)
  const ping = (path: string, signal: AbortSignal, body: string | Uint8Array<ArrayBuffer> = '') => {
    const url = new URL(opened.url)
    url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '') + path
    url.searchParams.set('rid', run)
    const headers = { ...opened.headers, 'Content-Type': 'text/plain; charset=utf-8' }
    return request(url, { method: 'POST', headers, body, signal }, judgePing)
  }
  return {
    start: (signal) => ping('/start', signal),
    end: ({ hasFailed, log }, signal) => ping(hasFailed ? '/fail' : '', signal, endOf(log, maxBody)),
  }
}

/** The service answers 200 also for an unknown check, or a ping that it ignores. */
function judgePing(answer: string): Failed | null {
  if (answer.startsWith('OK (not found)'))
    return { reason: 'it knows no check with this address', isFinal: true }
  if (!answer.startsWith('OK (rate limited)')) return null
  return { reason: 'it ignores more than five pings a minute', isFinal: true }
}

/** The last whole lines. @param most bytes */
function endOf(text: string, most: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return bytes
  const end = bytes.subarray(-most)
  return end.subarray(end.indexOf('\n') + 1)
}

const isPushUrl = ({ pathname }: URL) => /\/api\/push\/[^/]+\/?$/.test(pathname)

/** Uptime Kuma refuses a duration of more than a day. */
const maxPing = 86_400_000
const maxMessage = 300

function uptimeKuma(address: URL): Service {
  const { url: pushUrl, headers } = openAddress(address)
  return {
    end: ({ hasFailed, outcome, ms }, signal) => {
      const status = hasFailed ? 'down' : 'up'
      const query = { status, msg: cut(outcome, maxMessage), ping: String(Math.min(ms, maxPing)) }
      const url = new URL(pushUrl)
      // Replaces the query of the copied address.
      url.search = new URLSearchParams(query).toString()
      return request(url, { method: 'GET', headers, signal })
    },
  }
}

function inOneLine(facts: RunFacts): string {
  const { outcome, snapshot, isStaged, hold, reason } = facts
  if (reason !== null) return safeLines(`${outcomeOf(facts)}: ${reason}`)
  if (outcome === 'open') return 'there is something to do'
  const now = `${snapshot ?? 'nothing'} is ${isStaged ? 'staged' : 'live'}`
  if (outcome === 'skipped')
    return safeLines([`${outcomeOf(facts)}: ${now}`, ...(hold === null ? [] : [hold])].join('; '))
  const news = titleOfNews(facts)
  return news === null ? now : `${now} with ${news}`
}
