/**
 * An object store in memory in which any write can be late: it is carried out long after its sender was killed,
 * stopped, or gave up. Its clock is virtual, so that hours pass at once. Its users are processes that it can kill.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { S3Client } from '@aws-sdk/client-s3'
import type { Time } from '../../src/core/bucket/store/retry.ts'
import type { S3Store } from '../../src/core/bucket/store/s3.ts'
import type { Condition, NewFileObject, NewObject, WriteOptions } from '../../src/core/bucket/store/store.ts'
import { ConditionFailed } from '../../src/core/bucket/store/store.ts'

/** What happens to one write of a process. Delays are shares of the longest life of a request, from 0 to 1. */
export type Fault =
  /**
   * The process is killed, or its client waits in vain for an answer and gives up. Its request is never carried out, is
   * carried out later, or was carried out.
   */
  | {
      readonly kind: 'kill' | 'unanswered'
      readonly request: 'lost' | 'late' | 'done'
      /** How long the process has worked before it is killed there, in seconds. */
      readonly worked: number
    }
  /** The same, and it tries again. */
  | { readonly kind: 'twice' }
  /** The process stands still, before or after it has sent the request, while others run. */
  | { readonly kind: 'stopped'; readonly hasSent: boolean; readonly seconds: number }
  /** The store takes its time, while others run. */
  | { readonly kind: 'slow' }

export interface Plan {
  /** The write that it happens to, from 1. */
  readonly nth: number
  readonly fault: Fault
}

export interface StoredBytes {
  readonly body: Buffer
  readonly type: string
  readonly etag: string
  readonly modified: number
}

export interface Process {
  readonly store: S3Store
  readonly isAlive: () => boolean
  /** To be called when its command has ended. */
  readonly end: () => void
}

interface LateStoreOptions {
  /** The longest time between the last moment of a sender and the moment a request is carried out, in seconds. */
  readonly lifetimeSeconds: number
  /** The same for writes of `live.json`, which must be safe without such a limit. */
  readonly flipSeconds?: number
  /** From 0 to below 1. */
  readonly random: () => number
  /** False for a store that ignores conditions. */
  readonly knowsConditions: boolean
  /** Called after each write that was carried out. */
  readonly onWrite: (key: string, process: Process) => void
}

const silenceSeconds = 60

export function lateStore(options: LateStoreOptions) {
  const { lifetimeSeconds, flipSeconds = lifetimeSeconds, random, knowsConditions, onWrite } = options
  const objects = new Map<string, StoredBytes>()
  let late: { readonly due: number; readonly carryOut: () => unknown }[] = []
  const begun = performance.now()
  let passed = Date.parse('2026-11-20T00:00:00Z')
  const clock = () => passed + performance.now() - begun

  const deliver = () => {
    for (;;) {
      const [next] = late.filter(({ due }) => due <= clock()).sort((one, other) => one.due - other.due)
      if (next === undefined) return
      late = late.filter((one) => one !== next)
      try {
        next.carryOut()
      } catch {
        // The sender does not wait for the answer.
      }
    }
  }
  /** Lets time pass: what is late by then is carried out. */
  const pass = (seconds: number) => {
    const until = passed + seconds * 1000
    for (const { due } of [...late].sort((one, other) => one.due - other.due)) {
      passed = Math.min(until, Math.max(passed, passed + Math.ceil(due - clock())))
      deliver()
    }
    passed = until
    deliver()
  }
  /** HTTP dates have whole seconds. */
  const toldAt = (ms: number) => new Date(Math.floor(ms / 1000) * 1000)
  const about = ({ body, etag, modified }: StoredBytes) => ({
    bytes: body.length,
    etag,
    lastModified: toldAt(modified),
  })
  const time: Time = {
    clocks: () => ({ wall: clock(), steady: clock() }),
    pause: (ms, signal) => {
      signal?.throwIfAborted()
      pass(ms / 1000)
      return Promise.resolve()
    },
  }

  const assertCondition = (key: string, condition: Condition | undefined) => {
    if (condition === undefined || !knowsConditions) return
    const there = objects.get(key)?.etag
    if ('ifAbsent' in condition ? there !== undefined : there !== condition.ifMatch)
      throw new ConditionFailed(`${key} is not what it was`)
  }

  /** @param others what runs while the process stands still or waits */
  const begin = (plan: Plan | null, others: () => Promise<void>): Process => {
    let state: 'alive' | 'killed' | 'ended' = 'alive'
    let writes = 0
    let unanswered = 0
    const underWay = new Set<() => unknown>()
    const assertAlive = () => {
      if (state === 'killed') throw new Error('killed')
    }
    const sendLate = (carryOut: () => unknown, withinSeconds = lifetimeSeconds) => {
      late.push({ due: clock() + random() * withinSeconds * 1000, carryOut })
    }
    const kill = () => {
      state = 'killed'
      for (const carryOut of underWay) if (random() < 0.7) sendLate(carryOut)
      underWay.clear()
      throw new Error('killed')
    }
    const giveUp = () => {
      unanswered++
      throw new Error('does not answer in time')
    }

    /** @param rest how long it waits once the others have run, in seconds, by how long that took */
    const waitFor = async <T>(carryOut: () => T, withinSeconds: number, rest: (waited: number) => number) => {
      const sent = clock()
      let answer: { readonly done: T } | undefined
      sendLate(() => (answer = { done: carryOut() }), withinSeconds)
      await others()
      pass(rest((clock() - sent) / 1000))
      const isInTime = clock() - sent <= (silenceSeconds + 1) * 1000
      return answer === undefined || !isInTime ? giveUp() : answer.done
    }

    const strike = async <T>(
      fault: Fault,
      carryOut: () => T,
      mayStillSend: () => void,
      withinSeconds: number,
    ): Promise<T> => {
      switch (fault.kind) {
        case 'kill':
        case 'unanswered':
          pass(fault.kind === 'unanswered' ? silenceSeconds : fault.worked)
          if (fault.request === 'done') carryOut()
          else if (fault.request === 'late') sendLate(carryOut, withinSeconds)
          return fault.kind === 'kill' ? kill() : giveUp()
        case 'twice':
          pass(silenceSeconds * random())
          sendLate(carryOut, withinSeconds)
          unanswered++
          mayStillSend()
          return carryOut()
        case 'slow':
          return waitFor(carryOut, silenceSeconds, (waited) => Math.max(0, silenceSeconds - waited))
        case 'stopped':
          if (fault.hasSent) return waitFor(carryOut, lifetimeSeconds, () => fault.seconds)
          await others()
          pass(fault.seconds)
          mayStillSend()
          return carryOut()
      }
    }

    const read = async () => {
      await setImmediate()
      assertAlive()
      deliver()
    }

    /** Requests that are sent at the same time are all under way when the first of them is carried out. */
    const write = async <T>(
      carryOut: () => T,
      options: WriteOptions = {},
      withinSeconds = lifetimeSeconds,
    ): Promise<T> => {
      const mayStillSend = () => {
        assertAlive()
        options.signal?.throwIfAborted()
        options.assertFresh?.()
      }
      mayStillSend()
      underWay.add(carryOut)
      await setImmediate()
      assertAlive()
      underWay.delete(carryOut)
      deliver()
      if (++writes !== plan?.nth) return carryOut()
      return strike(plan.fault, carryOut, mayStillSend, withinSeconds)
    }

    const put = (object: NewObject, condition?: Condition, options?: WriteOptions) => {
      const carryOut = () => {
        assertCondition(object.key, condition)
        const etag = `"${createHash('md5').update(object.body).digest('hex')}"`
        objects.set(object.key, { body: object.body, type: object.type, etag, modified: clock() })
        onWrite(object.key, process)
        return { etag }
      }
      return write(carryOut, options, object.key === 'live.json' ? flipSeconds : lifetimeSeconds)
    }

    const process: Process = {
      isAlive: () => state === 'alive',
      end: () => {
        if (state === 'alive') state = 'ended'
      },
      store: {
        kind: 's3',
        name: 's3://late',
        bucket: 'late',
        fullKey: (key) => key,
        advise: (error) => error,
        close: () => undefined,
        // Prune asks it for unfinished uploads: this store cannot list them.
        client: {
          send: () => Promise.reject(Object.assign(new Error(), { $metadata: { httpStatusCode: 501 } })),
        } as unknown as S3Client,
        requests: () => ({}),
        behindSeconds: () => 0,
        areEtagsDigests: true,
        unanswered: () => unanswered,
        put,
        putFile: async (file: string, object: NewFileObject, options?: WriteOptions) => {
          const body = await readFile(file)
          return put({ ...object, body, sha256: object.sha256 ?? '' }, undefined, options)
        },
        delete: (keys, options) =>
          write(() => {
            for (const key of keys) {
              objects.delete(key)
              onWrite(key, process)
            }
          }, options),
        get: async (key) => {
          await read()
          const object = objects.get(key)
          if (object === undefined) return null
          return {
            ...about(object),
            now: toldAt(clock()),
            body: (async function* () {
              await setImmediate()
              yield object.body
            })(),
            cancel: () => undefined,
          }
        },
        folders: async (prefix) => {
          await read()
          const below = [...objects.keys()].filter((key) => key.startsWith(prefix))
          return [...new Set(below.map((key) => key.slice(prefix.length).split('/')[0] ?? ''))].sort()
        },
        async *list(prefix) {
          await read()
          const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort()
          for (const key of keys) {
            const object = objects.get(key)
            if (object !== undefined) yield { key, ...about(object) }
          }
        },
      },
    }
    return process
  }
  return {
    objects: objects as ReadonlyMap<string, StoredBytes>,
    time,
    /** The store's clock, which is that of all machines, too. */
    now: () => new Date(clock()),
    pass,
    /** Removes an object without a process. */
    lose: (key = '') => {
      objects.delete(key)
    },
    begin,
  }
}
