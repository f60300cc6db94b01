/** One client takes no more than its share of what `serve` can do: others get theirs, with nginx before it and without. */
import { once } from 'node:events'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { serveFolder } from '../../../src/core/cli/serve.ts'
import type { LongAnswerLimits } from '../../../src/core/edge/limits.ts'
import { connectionLimits } from '../../../src/core/edge/node/connections.ts'
import { askFrom, greedyClient } from '../../support/greedy-client.ts'
import { startBehindNginx, whyNoNginx } from '../../support/nginx.ts'
import { makeTempFolder, mustRun, startServer } from '../../support/product.ts'
import { isMissing } from '../../support/programs.ts'
import { serveHere } from '../../support/serve-here.ts'
import { getOf } from '../../support/silent-clients.ts'
import { fillDemo } from '../../support/snapshots.ts'
import { firstIsin } from './deployments.ts'

const asOf = '2025-09-30'
const folder = makeTempFolder()
const out = folder.file('out')
let isin: string

beforeAll(async () => {
  const db = folder.file('funds.sqlite')
  await fillDemo(1, 10, asOf)(db)
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'])
  isin = firstIsin(out)
  return folder.remove
})

const greedy = '127.0.0.1'
const other = '127.0.0.2'
const third = '127.0.0.3'

/** Each number has a range of its own, of one window. */
const monthFrom = (day: number) =>
  `/api/v1/prices-historic/${isin}/2024-02-${String(day).padStart(2, '0')}/2024-05-31/`

describe('a client that asks for date ranges on 200 connections', () => {
  const yearsFrom = (number: number) => {
    const first = new Date(Date.UTC(2016, 0, 1 + (number % 2000))).toISOString().slice(0, 10)
    return `/api/v1/prices-historic/${isin}/${first}/${asOf}/`
  }
  // No cache of nginx keeps what is asked for so.
  const rare = { 'Accept-Encoding': 'gzip;q=0.9' }

  const servers = [
    ['serve', () => startServer(out), undefined],
    ['serve behind nginx', () => startBehindNginx(['--out', out]), whyNoNginx],
  ] as const
  for (const [name, start, whyNot] of servers)
    it.skipIf(isMissing(whyNot === undefined))(`takes none away from another one, at ${name}`, async () => {
      const { base, stop } = await start()
      const client = greedyClient(base, { connections: 200, target: yearsFrom, headers: rare })
      await expect.poll(() => client.statuses.get(200) ?? 0).toBeGreaterThan(100)
      const statuses: number[] = []
      for (let time = 0; time < 20; time++)
        statuses.push(await askFrom(base, other, yearsFrom(3000 + time), rare).status)
      expect(statuses).toEqual(Array.from({ length: 20 }, () => 200))
      await client.stop()
      await stop()
    })
})

describe('long answers', () => {
  /** A server whose ranges wait, each until it is let go on, in the order in which they began. */
  const startHeld = async (
    { ofClient = {}, ofAll = {} }: { [K in keyof LongAnswerLimits]?: Partial<LongAnswerLimits[K]> },
    trustedProxies: string | null = null,
  ) => {
    const { origin } = await serveFolder(out)
    /** What each of them was asked for, and lets it go on. */
    const begun: { readonly first: number; readonly goOn: () => void }[] = []
    let asked = 0
    const pin = async () => {
      const { store, ...snapshot } = await origin.pin()
      const slice: typeof store.slice = async (key, first, last) => {
        await new Promise<void>((resolve) => {
          begun.push({ first, goOn: resolve })
        })
        if (store.slice === undefined) throw new Error('a folder has slices')
        return store.slice(key, first, last)
      }
      const list: typeof store.list = async (body) => {
        if (store.list === undefined) throw new Error('a folder has lists')
        const found = await store.list(body)
        asked++
        return found
      }
      return { ...snapshot, store: { ...store, slice, list } }
    }
    /** Resolves when so many requests have begun or wait. */
    const arrived = async (count: number) => {
      await expect.poll(() => asked).toBe(count)
      for (let turn = 0; turn < 3; turn++) await setImmediate()
    }
    const limits = {
      ofClient: { requests: 48, longAnswers: 2, ...ofClient },
      ofAll: {
        longAnswers: 2,
        waiting: 100,
        waitMs: 600_000,
        readerPatienceMs: 600_000,
        nginxPatienceMs: 600_000,
        ...ofAll,
      },
    }
    const here = await serveHere(out, { origin: { pin }, longAnswers: limits, trustedProxies })
    return { ...here, begun, arrived }
  }
  const expectBegun = (begun: readonly unknown[], count: number) =>
    expect.poll(() => begun.length).toBe(count)

  it('begin for each client in turn, however many one asks for', async () => {
    const { base, begun, arrived, stop } = await startHeld({})
    const order: string[] = []
    const answers: Promise<number>[] = []
    const ask = async (from: string, name: string) => {
      const { status } = askFrom(base, from, monthFrom(answers.length + 1))
      answers.push(
        status.then((value) => {
          order.push(name)
          return value
        }),
      )
      // One after the other: the order in which they come is the order in which they wait.
      await arrived(answers.length)
    }
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) await ask(greedy, name)
    for (const name of ['b1', 'b2']) await ask(other, name)
    await ask(third, 'c1')
    for (let done = 0; done < 8; done++) {
      await expectBegun(begun, Math.min(done + 2, 8))
      begun[done]?.goOn()
      await expect.poll(() => order.length).toBe(done + 1)
    }
    expect(order).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5'])
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 8 }, () => 200))
    await stop()
  })

  it('of one client leave room for others, who begin at once', async () => {
    const { base, begun, arrived, stop } = await startHeld({ ofAll: { longAnswers: 4 } })
    const first = [1, 2, 3, 4].map((day) => askFrom(base, greedy, monthFrom(day)).status)
    await expectBegun(begun, 2)
    const second = askFrom(base, other, monthFrom(5)).status
    await expectBegun(begun, 3)
    await arrived(5)
    expect(begun).toHaveLength(3)
    for (let at = 0; at < 5; at++) {
      await expect.poll(() => begun.length).toBeGreaterThan(at)
      begun[at]?.goOn()
    }
    expect(await Promise.all([...first, second])).toEqual([200, 200, 200, 200, 200])
    await stop()
  })

  it('are refused after a wait, with the time of another try', async () => {
    const { base, begun, stop } = await startHeld({ ofAll: { longAnswers: 1, waitMs: 100 } })
    const held = askFrom(base, greedy, monthFrom(1)).status
    await expectBegun(begun, 1)
    const late = await fetch(base + monthFrom(2))
    expect(late.status).toBe(503)
    expect(late.headers.get('retry-after')).toBe('5')
    begun[0]?.goOn()
    expect(await held).toBe(200)
    await stop()
  })

  it('are refused to the one that has most of them waiting, if too many wait', async () => {
    const { base, begun, arrived, stop } = await startHeld({ ofAll: { longAnswers: 1, waiting: 3 } })
    const asked: Promise<number>[] = []
    const ask = async (from: string) => {
      asked.push(askFrom(base, from, monthFrom(asked.length + 1)).status)
      await arrived(asked.length)
    }
    for (let times = 0; times < 4; times++) await ask(greedy)
    await expectBegun(begun, 1)
    await ask(other)
    expect(await asked[3]).toBe(503)
    await ask(greedy)
    expect(await asked[5]).toBe(503)
    for (let at = 0; at < 4; at++) {
      await expectBegun(begun, at + 1)
      begun[at]?.goOn()
    }
    expect(await Promise.all(asked)).toEqual([200, 200, 200, 503, 200, 503])
    await stop()
  })

  it('of clients that leave while they wait take no turn', async () => {
    const { base, begun, arrived, server, stop } = await startHeld({ ofAll: { longAnswers: 1 } })
    const first = askFrom(base, greedy, monthFrom(1))
    await expectBegun(begun, 1)
    const second = askFrom(base, greedy, monthFrom(2))
    await arrived(2)
    const last = askFrom(base, other, monthFrom(3))
    await arrived(3)
    const open = promisify(server.getConnections.bind(server))
    second.leave()
    expect(await second.status).toBe(0)
    await expect.poll(async () => open()).toBe(2)
    begun[0]?.goOn()
    expect(await first.status).toBe(200)
    await expectBegun(begun, 2)
    begun[1]?.goOn()
    expect(await last.status).toBe(200)
    expect(begun).toHaveLength(2)
    await stop()
  })

  it('keep their slot when another snapshot goes live meanwhile', async () => {
    const { origin } = await serveFolder(out)
    let looks = 0
    const pin = async () => {
      const snapshot = await origin.pin()
      // The first attempt ends with another snapshot.
      return { ...snapshot, isStillLive: () => Promise.resolve(++looks > 1) }
    }
    const ofAll = {
      longAnswers: 1,
      waiting: 1,
      waitMs: 600_000,
      readerPatienceMs: 600_000,
      nginxPatienceMs: 1,
    }
    const here = await serveHere(out, {
      origin: { pin },
      longAnswers: { ofClient: { requests: 1, longAnswers: 1 }, ofAll },
    })
    expect(await askFrom(here.base, greedy, monthFrom(1)).status).toBe(200)
    expect(looks).toBeGreaterThan(1)
    await here.stop()
  })

  it('of a client that has stopped reading make room: its own, and those of all when no slot is left', async () => {
    const large = `/downloads/${asOf}/large.bin`
    mkdirSync(dirname(out + large), { recursive: true })
    writeFileSync(out + large, '')
    truncateSync(out + large, 100_000_000)
    const { base, begun, stop } = await startHeld({
      ofClient: { longAnswers: 1 },
      ofAll: { readerPatienceMs: 300 },
    })
    const silent = async (localAddress: string) => {
      const socket = connect({ port: Number(new URL(base).port), host: '127.0.0.1', localAddress })
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(getOf(large))
      // It reads the beginning, and then no more.
      await once(socket, 'readable')
      return socket
    }
    const sockets = [await silent(greedy), await silent(other)]
    for (const from of [greedy, third]) {
      const { status } = askFrom(base, from, monthFrom(begun.length + 1))
      const before = begun.length
      await expectBegun(begun, before + 1)
      begun[before]?.goOn()
      expect(await status).toBe(200)
    }
    sockets.forEach((socket) => socket.destroy())
    await stop()
  })

  it('belong to the client that a trusted proxy names, and to the other end of the connection if nobody is trusted', async () => {
    const forwarded = (names: readonly string[], trusted: string | null) => async () => {
      const ofAll = { longAnswers: 9, waiting: 0 }
      const { base, begun, stop } = await startHeld({ ofClient: { longAnswers: 1 }, ofAll }, trusted)
      let refused = 0
      const asked = names.map(async (name, at) => {
        const status = await askFrom(base, greedy, monthFrom(at + 1), { 'X-Forwarded-For': name }).status
        if (status === 503) refused++
      })
      await expect.poll(() => begun.length + refused).toBe(names.length)
      const count = begun.length
      begun.forEach(({ goOn }) => {
        goOn()
      })
      await Promise.all(asked)
      await stop()
      return count
    }
    const different = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
    const oneNetwork = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:DB8:1:2:3:4:5:6']
    expect(await forwarded(different, '127.0.0.1')()).toBe(3)
    expect(await forwarded(different, '127.0.0.0/8')()).toBe(3)
    expect(await forwarded(different, null)()).toBe(1)
    expect(await forwarded(different, '127.0.0.9')()).toBe(1)
    expect(await forwarded(oneNetwork, '127.0.0.1')()).toBe(1)
  })
})

describe('connections beyond those that may be open', () => {
  it('cost the client that has most of them one, and no other client any', async () => {
    const here = await serveHere(out, { limits: { ...connectionLimits, connections: 5 } })
    const closed: string[] = []
    const open = async (localAddress: string) => {
      const socket = connect({ port: Number(new URL(here.base).port), host: '127.0.0.1', localAddress })
      socket.on('error', () => undefined).on('close', () => closed.push(localAddress))
      await once(socket, 'connect')
      return socket.resume()
    }
    const kept = await open(other)
    kept.write(getOf(`/api/v1/prices-current/${isin}/`))
    await once(kept, 'data')
    const sockets = [kept]
    for (let times = 0; times < 12; times++) sockets.push(await open(greedy))
    await expect.poll(() => closed.length).toBe(8)
    expect(new Set(closed)).toEqual(new Set([greedy]))
    kept.write(getOf(`/api/v1/prices-current/${isin}/`))
    const [answer] = (await once(kept, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
    sockets.forEach((socket) => socket.destroy())
    await here.stop()
  })
})
