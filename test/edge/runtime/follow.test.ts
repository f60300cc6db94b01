/** A server under load while its snapshot is exchanged: each answer comes from one snapshot, and no request fails. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, renameSync, symlinkSync } from 'node:fs'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { asOf, goodRows, insertGood, isinOf, makeDatabase } from '../../support/database.ts'
import { forced, makeTempFolder, mustRun, repository, startServer } from '../../support/product.ts'
import type { Server } from '../../support/product.ts'
import { headerOf, rawRequest } from '../../support/request.ts'
import { isComplete, times } from '../../support/rounds.ts'
import { serveHere } from '../../support/serve-here.ts'

type Generation = 'a' | 'b'
const generations = ['a', 'b'] as const
const funds = [1, 2].map(isinOf)

const folder = makeTempFolder()
const docsUrl = (generation: Generation) => `https://${generation}.example/docs`
let server: Server
/** What each generation answers to each target. */
const expected = new Map<string, Record<Generation, string>>()

beforeAll(async () => {
  for (const generation of generations) {
    makeGeneration(generation)
    await build(generation, generation)
    const alone = await serveHere(folder.file(generation))
    for (const target of targets) {
      const answers = expected.get(target) ?? { a: '', b: '' }
      expected.set(target, { ...answers, [generation]: await ask(alone, target) })
    }
    await alone.stop()
  }
  cpSync(folder.file('b'), folder.file('live'), { recursive: true })
  server = await startServer(folder.file('live'))
  return async () => {
    await server.stop()
    folder.remove()
  }
})

/** Nothing in one generation is as in the other. */
function makeGeneration(generation: Generation): void {
  const nav = generation === 'a' ? '1.00' : '22.00'
  makeDatabase(folder.file(`${generation}.sqlite`), (insert) => {
    for (const isin of funds) {
      insertGood(insert, isin, { fund: { name: `Fund of generation ${generation}` } })
      for (let day = 0; day < 1200; day += 6) {
        const date = new Date(Date.UTC(2020, 5, 1) + day * 86_400_000).toISOString().slice(0, 10)
        insert('price', { isin, ...goodRows['price'], date, net_asset_value: nav })
      }
    }
  })
}

function build(generation: Generation, out: string): Promise<string> {
  const files = ['--db', folder.file(`${generation}.sqlite`), '--out', folder.file(out)]
  const url = { FUNDPRESS_DOCS_URL: docsUrl(generation) }
  return mustRun(['build', ...files, '--as-of', asOf, '--jobs', '1', '--quiet', ...forced], { env: url })
}

const days = [
  '2021-01-01/2021-12-31',
  '2020-07-15/2023-02-10',
  '2020-01-01/2030-01-01',
  '2024-04-01/2024-04-02',
].map((range) => `prices-historic/ISIN/${range}/`)
const structures = ['countries', 'ratings'].map((type) => `investment_structure-${type}`)
const single = ['prices-current', 'performance-years', 'performance-legal', 'figures', 'profile']
const ofFund = [...days, ...[...single, ...structures].map((name) => `${name}/ISIN/`)]
const others = ['prices-current-all/', 'performance-years-all/', `prices-current/${isinOf(99)}/`]
const targets = funds
  .flatMap((isin) => ofFund.map((path) => path.replace('ISIN', isin)))
  .concat(others, 'prices-historic/', 'nothing/')
  .flatMap((path) => [`/api/v1/${path}`, `/api/v1/${path}?format=xml`])

/** Status, ETag and body in one text. */
async function ask({ base }: Pick<Server, 'base'>, target: string): Promise<string> {
  const response = await rawRequest(base, { target })
  return `${response.status} ${headerOf(response, 'etag') ?? ''} ${response.body.toString()}`
}

/** Which generation's answer it is. */
async function generationOf(target: string): Promise<string> {
  const answer = await ask(server, target)
  const all = expected.get(target) ?? { a: '', b: '' }
  return generations.find((generation) => all[generation] === answer) ?? `neither: ${target}: ${answer}`
}

/** Clients that keep their connections and ask one thing after the other while something is done. */
async function underLoad(
  work: (answers: () => number) => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  let isOver = false
  const counts: Record<string, number> = {}
  const clients = Array.from({ length: 12 }, async (_, client) => {
    for (let turn = client; !isOver; turn += 7) {
      const found = await generationOf(targets[turn % targets.length] ?? '')
      counts[found] = (counts[found] ?? 0) + 1
    }
  })
  try {
    await work(() => Object.values(counts).reduce((sum, count) => sum + count, 0))
  } finally {
    isOver = true
  }
  await Promise.all(clients)
  return counts
}

/** Asks for everything, once. */
const generationsOfAll = async () => [...new Set(await Promise.all(targets.map(generationOf)))]

describe('a server under load', () => {
  it('answers from one snapshot while a link leads to one and the other, and as the link says in the end', async () => {
    const link = folder.file('link')
    const point = (generation: Generation): void => {
      symlinkSync(generation, `${link}.next`)
      renameSync(`${link}.next`, link)
    }
    point('a')
    const linked = await startServer(link)
    const wrong: string[] = []
    try {
      for (let round = 0; round < times(48); round++) {
        let isOver = false
        const clients = Array.from({ length: 12 }, async (_, client) => {
          for (let turn = client; !isOver; turn += 7) {
            const target = targets[turn % targets.length] ?? ''
            const answer = await ask(linked, target)
            const all = expected.get(target)
            if (answer !== all?.a && answer !== all?.b && !answer.startsWith('503'))
              wrong.push(`${target}: ${answer.slice(0, 300)}`)
          }
        })
        for (let turn = 0; turn < 100; turn++) {
          point(turn % 2 === 0 ? 'b' : 'a')
          if (turn % 3 === 0) await setTimeout(turn % 2)
          else await setImmediate()
        }
        isOver = true
        await Promise.all(clients)
        for (const target of targets)
          if ((await ask(linked, target)) !== expected.get(target)?.a)
            wrong.push(`in the end, ${round}: ${target}`)
      }
    } finally {
      await linked.stop()
    }
    expect(wrong).toEqual([])
  })

  it('answers from one snapshot at a time while it is exchanged again and again', async () => {
    const script = `
      import { cpSync } from 'node:fs'
      import { makeStaging } from './src/core/snapshot/staging.ts'
      const [live, ...snapshots] = process.argv.slice(1)
      let turn = 0
      for await (const _ of process.stdin) {
        const staging = makeStaging(live)
        cpSync(snapshots[turn++ % 2], staging.folder, { recursive: true })
        staging.swapIn()
        process.stdout.write('.')
      }`
    const args = ['--input-type=module', '-e', script, ...['live', 'a', 'b'].map(folder.file)]
    const counts = await underLoad(async (answers) => {
      const exchanges = spawn(process.execPath, args, { cwd: repository, stdio: ['pipe', 'pipe', 'inherit'] })
      const end = once(exchanges, 'close')
      for (let turn = 0; turn < (isComplete ? 40 : 16); turn++) {
        exchanges.stdin.write('\n')
        await once(exchanges.stdout, 'data')
        // A request has to have the time for an answer out of one snapshot, however slow the machine is.
        const before = answers()
        await expect.poll(answers, { interval: 5 }).toBeGreaterThan(before + 24)
      }
      exchanges.stdin.end()
      const [code, signal] = (await end) as readonly unknown[]
      expect({ code, signal }).toEqual({ code: 0, signal: null })
    })
    expect(Object.keys(counts).sort()).toEqual(['a', 'b'])
    expect(await generationsOfAll()).toEqual(['b'])
  })
})
