/** Tells one target of a notice: a webhook gets it as JSON, a command on its standard input. */

import { type DeliveryPatience, type DeliveryTerms, request, tryOften } from '../../core/system/attempts.ts'
import { runCommand } from './run-command.ts'
import type { Notice } from './notice.ts'
import type { OpenTarget, OpenWebhook } from './targets.ts'

/** `total` is the delay of a night whose targets all hang. */
export const usualDelivery: DeliveryPatience = { attempts: 4, attempt: 8000, pause: 1000, total: 20_000 }
/** After SIGTERM there is little time: GitHub gives 7.5 s, Kubernetes 30 s. */
export const lastDelivery: DeliveryPatience = { attempts: 2, attempt: 3000, pause: 250, total: 4000 }

/** Never throws. @returns null for success, else the reason, without secrets */
export const deliver = (target: OpenTarget, notice: Notice, terms: DeliveryTerms): Promise<string | null> =>
  target.type === 'webhook'
    ? tryOften((signal) => post(target, notice, signal), terms)
    : runCommand(target, notice, terms.patience.total, terms.signal)

const post = ({ url, headers }: OpenWebhook, notice: Notice, signal: AbortSignal) =>
  request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(notice),
    signal,
  })
