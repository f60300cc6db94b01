/** Nights of one fund family on a bucket, each from a database of its own, and what people are told of them. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { editDatabase } from '../support/database.ts'
import { openPress, type Press } from '../support/press.ts'
import { makeTempFolder, type Run } from '../support/product.ts'

export interface LiveNight {
  readonly asOf: string
  /** How many funds there are; 11 unless given. */
  readonly count?: number
  /** What the database has instead, as SQL. */
  readonly edit?: string
  readonly flags?: string
  readonly config?: object
}

/** To be called once in a file of tests. @param makeFunds makes a database of so many funds */
export function useNightBucket(makeFunds: (file: string, count: number) => void) {
  let press: Press
  const folder = makeTempFolder()
  /** Buckets as they are before a night, by what is live. */
  const buckets = new Map<string, ReturnType<Press['server']['snapshot']>>()

  beforeAll(async () => {
    const unused = () => Promise.reject(new Error('not here'))
    press = await openPress({
      folder,
      outs: [],
      change: unused,
      sums: () => new Map(),
      remove: folder.remove,
    })
    for (const count of [11, 3]) makeFunds(folder.file(`${count}.sqlite`), count)
  })
  afterEach(() => rmSync(folder.file('out'), { recursive: true, force: true }))
  afterAll(() => press.stop())

  function publishNight({ asOf, edit = '', count = 11, flags = '', config = {} }: LiveNight): Promise<Run> {
    const db = folder.file('night.sqlite')
    copyFileSync(folder.file(`${count}.sqlite`), db)
    editDatabase(db, `DELETE FROM price WHERE date > '${asOf}';${edit}`)
    writeFileSync(folder.file('night.json'), JSON.stringify({ ...config, bucket: { concurrency: 16 } }))
    for (const name of ['out', 'night.md']) rmSync(folder.file(name), { recursive: true, force: true })
    const words = ['nightly', '--config', 'night.json', '--db', 'night.sqlite', '--out', 'out']
    const more = (flags.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
    const ways = ['--since', 'other', '--sample', '1', '--json', '--summary', 'night.md']
    return press.fundpress([...words, '--as-of', asOf, ...ways, ...more])
  }

  return {
    publishNight,
    liveBytes: () => press.server.objects('funds').get('live.json')?.body.toString(),
    /** Brings the bucket to what is live before a night. @param nights those that were published, by the name of all together */
    goBack: async (name: string, nights: readonly LiveNight[]): Promise<void> => {
      press.reset()
      const known = buckets.get(name)?.get('funds')
      if (known !== undefined) {
        press.server.restore('funds', known)
        return
      }
      for (const night of nights) {
        const { code, stderr, stdout } = await publishNight(night)
        expect(code, stderr + stdout).toBe(0)
      }
      buckets.set(name, press.server.snapshot())
    },
    /** What people are told of the last night: its warnings, and the news of its summary. */
    toldOf: ({ stdout }: Run): string => {
      const warnings = stdout.split('\n').filter((line) => line.includes('"event":"warning"'))
      const summary = readFileSync(folder.file('night.md'), 'utf8')
      const [, news = ''] = /^### News\n\n```text\n([^]*?)\n```/m.exec(summary) ?? []
      return [...warnings.filter((line) => !line.includes('everything is rendered')), news].join('\n').trim()
    },
  }
}
