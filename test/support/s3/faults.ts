/** What goes wrong, by rules: which requests, how often, and how. Decides only; the server carries it out. */
import type { Operation } from './operations.ts'

export type Fault =
  /** Answered with an error instead of being carried out. The code unless given: what goes with the status. */
  | { readonly kind: 'status'; readonly status: number; readonly code?: string }
  /** Carried out, and answered with an error all the same. */
  | { readonly kind: 'status-after'; readonly status: number; readonly code?: string }
  /** Answered with an error after the first bytes of the request's body, of which no more is read. */
  | { readonly kind: 'status-early'; readonly status: number; readonly code?: string }
  /** The connection ends after the first bytes of the request's body. */
  | { readonly kind: 'cut-early' }
  /** Carried out, then the connection ends before the answer. */
  | { readonly kind: 'cut-after' }
  /** The answer comes in chunks: nothing says how long it is. */
  | { readonly kind: 'chunked' }
  /** The answer breaks off in the middle of its body. */
  | { readonly kind: 'truncate' }
  /** One byte in the middle of the answer's body is another. */
  | { readonly kind: 'corrupt' }
  /** DeleteObjects fails for the keys that match, with this code, InternalError unless given. */
  | { readonly kind: 'delete-error'; readonly code?: string }
  /** Waits; further rules apply. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The test's own doing, waited for before the request is carried out or before it is answered; further rules apply. */
  | { readonly kind: 'call'; readonly when: 'before' | 'after'; readonly run: () => unknown }

interface FaultMatch {
  readonly method?: string
  readonly operation?: Operation
  readonly keyMatches?: RegExp
  /** Only the n-th request that matches, from 1. */
  readonly nth?: number
  /** At most so often. */
  readonly times?: number
}

export type FaultRule = FaultMatch & Fault

interface Faulted {
  readonly method: string
  readonly operation: Operation
  readonly key: string
}

export function makeFaults(rules: readonly FaultRule[]) {
  const states = rules.map((rule) => ({ rule, seen: 0, struck: 0 }))
  const strikes = (state: (typeof states)[number], key: string): boolean => {
    const { keyMatches, nth, times = Infinity } = state.rule
    if (!(keyMatches?.test(key) ?? true)) return false
    state.seen++
    if (state.struck >= times || (nth !== undefined && state.seen !== nth)) return false
    state.struck++
    return true
  }
  return {
    /** The first rule that strikes, after all delays and calls that do. */
    of: ({ method, operation, key }: Faulted): readonly FaultRule[] => {
      const struck: FaultRule[] = []
      for (const state of states) {
        const { rule } = state
        if (rule.kind === 'delete-error') continue
        if ((rule.method ?? method) !== method || (rule.operation ?? operation) !== operation) continue
        if (!strikes(state, key)) continue
        struck.push(rule)
        if (rule.kind !== 'delay' && rule.kind !== 'call') break
      }
      return struck
    },
    ofDelete: (key: string) => {
      const state = states.find((one) => one.rule.kind === 'delete-error' && strikes(one, key))
      return state?.rule.kind === 'delete-error' ? (state.rule.code ?? 'InternalError') : undefined
    },
  }
}
