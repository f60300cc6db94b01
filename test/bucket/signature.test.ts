/** What a key has signed, for which snapshot and day: what the door lets go live, and what `verify`, `status` and readers find. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSuccess } from '../cli/outcome.ts'
import { editDatabase } from '../support/database.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { lacks } from '../support/programs.ts'
import { makeKey } from '../support/ssh-keygen.ts'

const settings = { FUNDPRESS_DOWNLOADS: 'true', FUNDPRESS_BASE_URL: 'https://api.example.org' }

describe.skipIf(lacks('ssh-keygen'))('a bucket whose nights are signed', () => {
  let press: Press
  let ours: ReturnType<typeof makeKey>
  let theirs: ReturnType<typeof makeKey>
  let published: () => void

  const file = (name: string) => press.nights.folder.file(name)
  const key = ({ secret }: ReturnType<typeof makeKey>) => ({ FUNDPRESS_SIGNING_KEY: secret })
  /** Our public key is in `ours.json`, theirs in `theirs.json`. */
  const command = (line: string, env: Readonly<Record<string, string>> = {}, config = 'ours.json') =>
    press.fundpress(`${line} --config ${config}`, { ...settings, ...env })
  const build = (out: string, asOf: string, env: Readonly<Record<string, string>>) =>
    press.bare(`build --db funds.sqlite --as-of ${asOf} --out ${out} --config ours.json`, {
      ...settings,
      ...env,
    })
  const said = async (running: ReturnType<typeof command>, code: number) => {
    const done = await running
    expect(done).toMatchObject({ code })
    return done.stdout + done.stderr
  }
  const live = () => press.bucket.live()?.snapshot
  const slot = () => press.bucket.live()?.slot ?? 'none'
  const text = (name: string) => press.bucket.body(name).toString()
  const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

  beforeAll(async () => {
    press = await openPress(await buildNights(0, 2, { years: 1, until: '2026-11-18' }))
    ours = makeKey(file('ours'))
    theirs = makeKey(file('theirs'))
    for (const [name, { publicKey }] of Object.entries({ ours, theirs }))
      writeFileSync(file(`${name}.json`), JSON.stringify({ signing: { publicKeys: [publicKey] } }))
    await expectSuccess(build('first', '2026-11-19', key(ours)))
    editDatabase(
      file('funds.sqlite'),
      `UPDATE fund SET name = name || ' II' WHERE isin = (SELECT min(isin) FROM fund)`,
    )
    await expectSuccess(build('second', '2026-11-20', key(ours)))
    editDatabase(
      file('funds.sqlite'),
      `UPDATE fund SET name = name || ' III' WHERE isin = (SELECT min(isin) FROM fund)`,
    )
    await expectSuccess(build('third', '2026-11-20', key(ours)))
    await expectSuccess(build('unknown', '2026-11-20', key(theirs)))
    await expectSuccess(build('unsigned', '2026-11-20', {}))
    await expectSuccess(command('publish --out first', key(ours)))
    await expectSuccess(command('publish --out second', key(ours)))
    published = press.bucket.save()
  })
  afterAll(() => press.stop())
  beforeEach(() => {
    published()
  })

  it('verifies and has no alarm, with the public key alone', async () => {
    expect(await expectSuccess(command('verify --deep'))).toContain('downloads of 1 earlier day')
    await expectSuccess(command('status'))
  })

  it('shows each change of what a publish has written to changes/, and of downloads of earlier days', async () => {
    const names = press.bucket.keys(`${slot()}/changes/`).map((name) => name.slice(slot().length + 1))
    expect(names).toEqual(
      expect.arrayContaining([
        'changes/index.html',
        'changes/index.json',
        'changes/feed.xml',
        'changes/de/feed.xml',
        'changes/downloads.json',
        'changes/2026-11-20.json',
        'changes/SHA256SUMS',
        'changes/snapshot.json',
      ]),
    )
    for (const name of names) {
      published()
      press.bucket.put(`${slot()}/${name}`, `${text(`${slot()}/${name}`)} `)
      // A blank at the end of a signature changes nothing.
      if (name.endsWith('.sig')) await expectSuccess(command('verify'))
      else expect(await said(command('verify'), 1)).toContain('changes/')
      press.bucket.remove(`${slot()}/${name}`)
      expect(await said(command('verify'), 1)).toContain('changes/')
    }
    published()
    press.bucket.put(`${slot()}/changes/2026-11-18.json`, '{}')
    expect(await said(command('verify'), 1)).toContain('changes/2026-11-18.json is in no manifest')
    published()
    const earlier = press.bucket.downloads('2026-11-19')
    for (const name of ['prices.csv', 'SHA256SUMS', 'snapshot.json']) {
      published()
      press.bucket.put(earlier + name, `${text(earlier + name)} `)
      expect(await said(command('verify --deep'), 1)).toContain(earlier)
    }
  })

  it('shows changes/ that was signed for another snapshot', async () => {
    const other = slot() === 'blue' ? 'green' : 'blue'
    for (const name of press.bucket.keys(`${slot()}/changes/`)) press.bucket.remove(name)
    for (const name of press.bucket.keys(`${other}/changes/`))
      press.bucket.put(name.replace(other, slot()), press.bucket.body(name))
    expect(await said(command('verify'), 1)).toContain('changes/snapshot.json names another snapshot')
    expect(await said(command('status'), 1)).toContain(
      `${slot()}/changes/snapshot.json names another snapshot, day or figure than its signature`,
    )
  })

  it.each(['asOf', 'newestPrice', 'docsUrl', 'funds', 'freshness'])(
    'shows another %s in live.json, to the status, too',
    async (field) => {
      const now = JSON.parse(text('live.json')) as Record<string, unknown>
      const others: Record<string, unknown> = {
        asOf: '2026-11-27',
        newestPrice: '2026-11-27',
        docsUrl: 'https://evil.example.org',
        funds: 99,
        freshness: { ...(now['freshness'] as object), stale: 0, fresh: 99 },
      }
      press.bucket.put('live.json', JSON.stringify({ ...now, [field]: others[field] }))
      expect(await said(command('verify'), 1)).toContain('live.json names another snapshot, day, price')
      expect(await said(command('status'), 1)).toContain('changes/snapshot.json names another')
    },
  )

  it('shows an older snapshot under a newer date', async () => {
    const now = JSON.parse(text('live.json')) as Record<string, unknown> & {
      previous: Record<string, unknown>
    }
    const { previous } = now
    const old = String(previous['slot'])
    const renamed = String(previous['snapshot']).replace('2026-11-19', '2026-11-27')
    const dates = { snapshot: renamed, asOf: '2026-11-27', newestPrice: '2026-11-26' }
    const manifest = gunzipSync(press.bucket.body(`${old}/manifest.ndjson.gz`)).toString()
    const end = manifest.indexOf('\n')
    const head = { ...(JSON.parse(manifest.slice(0, end)) as object), ...dates }
    press.bucket.put(`${old}/manifest.ndjson.gz`, gzipSync(JSON.stringify(head) + manifest.slice(end)))
    const from = `downloads/${String(previous['snapshot'])}/`
    for (const name of press.bucket.keys(from))
      press.bucket.put(name.replace(from, `downloads/${renamed}/`), press.bucket.body(name))
    const list = `journal/${old}.downloads.ndjson.gz`
    const lines = gunzipSync(press.bucket.body(list)).toString()
    press.bucket.put(list, gzipSync(lines.replaceAll(from, `downloads/${renamed}/`)))
    const downloads = { ...(previous['downloads'] as object), folder: renamed }
    const forged = { ...now, ...previous, ...dates, downloads, previous: { ...now, previous: undefined } }
    press.bucket.put('live.json', JSON.stringify({ ...forged, earlierDownloads: {} }))

    const found = await said(command('verify'), 1)
    for (const one of ['manifest.ndjson.gz', 'changes/snapshot.json', `downloads/${renamed}/snapshot.json`])
      expect(found).toContain(`${one} names another snapshot, day, price or count`)
    // Even without a key of ours, and deep: the keys of the snapshot have signed its day.
    expect(await said(press.fundpress('verify --deep'), 1)).toContain('manifest.ndjson.gz names another')
    expect(await said(command('status'), 1)).toContain('changes/snapshot.json names another')
    // A reader finds the signed day beside the checksums.
    const sums = text(`downloads/${renamed}/SHA256SUMS`)
    const facts = text(`downloads/${renamed}/snapshot.json`)
    expect(sums).toContain(`${sha256(facts)}  snapshot.json\n`)
    expect(JSON.parse(facts)).toMatchObject({
      snapshot: previous['snapshot'],
      as_of: '2026-11-19',
      newest_price: previous['newestPrice'],
    })
  })

  describe('at the door', () => {
    const refused = async (running: ReturnType<typeof command>, why: string) => {
      const before = live()
      const output = await said(running, 3)
      expect(output).toContain(why)
      expect(output).toContain('allow it: --allow signature --reason "…"')
      expect(live()).toBe(before)
    }
    const allowed = `--allow signature --reason emergency`
    const notTrusted = 'which is not trusted: signing.publicKeys does not name it'

    it('refuses a key that the settings do not name, and names its fingerprint', async () => {
      const print = execFileSync('ssh-keygen', ['-lf', file('theirs.pub')], { encoding: 'utf8' })
      await refused(
        command('publish --out unknown', key(theirs)),
        `SHA256SUMS.sig was made with the key ${print.split(' ')[1] ?? ''}, ${notTrusted}`,
      )
      expect(await said(command('plan --out unknown', key(theirs)), 0)).toContain(notTrusted)
      await expectSuccess(command(`publish --out unknown ${allowed}`, key(theirs)))
      expect(await said(command('verify'), 1)).toContain('SHA256SUMS.sig is no signature')
    })

    it('refuses a night without a signature, and one that nobody can sign to its end', async () => {
      await refused(
        command('publish --out unsigned', key(ours)),
        'SHA256SUMS has no signature, though the settings name a key',
      )
      await refused(command('publish --out third'), 'there is no key (signing.key) to sign changes/ with')
      await refused(
        command('publish --out third', key(theirs)),
        'signing.key would sign changes/, and signing.publicKeys does not name it',
      )
    })

    it('refuses a rollback to what an unknown key has signed, unless that is wanted', async () => {
      await refused(command('rollback --reason x', {}, 'theirs.json'), notTrusted)
      await expectSuccess(command(`rollback ${allowed}`, {}, 'theirs.json'))
      expect(live()).toMatch(/^2026-11-19/)
    })

    it('flips what was staged with the key without it, and nothing else', async () => {
      await expectSuccess(command('publish --out third --stage', key(ours)))
      const staged = JSON.parse(text('staged.json')) as { snapshot: string; slot: string }
      const keep = press.bucket.save()
      await refused(command(`flip ${staged.snapshot}`, {}, 'theirs.json'), notTrusted)
      press.bucket.put(`${staged.slot}/changes/SHA256SUMS`, `${text(`${staged.slot}/changes/SHA256SUMS`)}\n`)
      await refused(command(`flip ${staged.snapshot}`), 'changes/SHA256SUMS.sig is damaged')
      keep()
      await expectSuccess(command(`flip ${staged.snapshot}`))
      await expectSuccess(command('verify --deep'))
    })

    it('lets a rollback through without the private key, and what it brings was signed for its day', async () => {
      await expectSuccess(command('rollback --reason x'))
      expect(live()).toMatch(/^2026-11-19/)
      await expectSuccess(command('verify --deep'))
      await expectSuccess(command('status'))
    })

    it('carries no list of changes on that nobody trusted has signed', async () => {
      const index = `${slot()}/changes/index.json`
      press.bucket.put(index, text(index).replaceAll('III', 'forged').replaceAll(' II', ' forged'))
      const output = await said(command('publish --out third', key(ours)), 0)
      expect(output).toContain(`${index} is not signed by a trusted key, the list of what changed`)
      for (const name of press.bucket.keys(`${slot()}/changes/`)) expect(text(name)).not.toContain('forged')
      await expectSuccess(command('verify'))
    })
  })

  it('gets the same bytes from the same snapshots once more', async () => {
    // The list of changes has the time of each publish.
    const ofSnapshot = () => press.bucket.keys(`${slot()}/`).filter((name) => !name.includes('/changes/'))
    const bodies = () => new Map(ofSnapshot().map((name) => [name, sha256(text(name))] as const))
    const before = bodies()
    press.bucket.empty()
    await expectSuccess(command('publish --out first', key(ours)))
    await expectSuccess(command('publish --out second', key(ours)))
    expect(bodies()).toEqual(before)
  })
})
