/** Signed checksums: `ssh-keygen` checks what a night has signed, by the recipe of the downloads page; `verify` finds what nobody signed. */
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSuccess } from '../cli/outcome.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { lacks, lacksAny } from '../support/programs.ts'
import { serveHere } from '../support/serve-here.ts'
import { makeKey } from '../support/ssh-keygen.ts'
import { snapshotId } from '../support/tree.ts'

const asOf = '2026-11-20'
const settings = { FUNDPRESS_DOWNLOADS: 'true', FUNDPRESS_BASE_URL: 'https://api.example.org' }

/** Programs of the recipe. */
const lacksRecipe = lacksAny('curl', 'grep')

describe.skipIf(lacks('ssh-keygen'))('signed checksums', () => {
  let press: Press
  let first: ReturnType<typeof makeKey>
  let second: ReturnType<typeof makeKey>
  let published: () => void

  const file = (name: string) => press.nights.folder.file(name)
  const signedBy = ({ secret }: { readonly secret: string }) => ({ FUNDPRESS_SIGNING_KEY: secret })
  const build = (out: string, env: Readonly<Record<string, string>>, flags = '') =>
    press.bare(`build --db funds.sqlite --as-of ${asOf} --out ${out}${flags}`, { ...settings, ...env })
  const publish = (out: string, env: Readonly<Record<string, string>> = {}, flags = '') =>
    press.fundpress(`publish --out ${out}${flags}`, { ...settings, ...env })
  const verify = (env: Readonly<Record<string, string>> = {}, flags = '') =>
    press.fundpress(`verify${flags}`, env)
  const faults = async (command: ReturnType<typeof verify>) => {
    const { code, stdout, stderr } = await command
    expect(code).toBe(1)
    return { stdout, stderr }
  }
  const bytes = (name: string) => readFileSync(file(name))
  const checked = (signers: string, signed: string) =>
    execFileSync(
      'ssh-keygen',
      ['-Y', 'verify', '-f', signers, '-I', 'fundpress', '-n', 'file', '-s', `${signed}.sig`],
      {
        input: readFileSync(signed),
        encoding: 'utf8',
      },
    )

  beforeAll(async () => {
    press = await openPress(await buildNights(0, 2, { years: 1, until: asOf }))
    first = makeKey(file('first'))
    second = makeKey(file('second'))
    await expectSuccess(build('signed', signedBy(first)))
    await expectSuccess(build('plain', {}))
    await expectSuccess(publish('signed', signedBy(first)))
    published = press.bucket.save()
  })
  afterAll(() => press.stop())
  beforeEach(() => {
    published()
  })

  it.skipIf(lacksRecipe)('the recipe of the downloads page checks them and the snapshot', async () => {
    const { base, stop } = await serveHere(file('signed'))
    const page = await (await fetch(`${base}/downloads/latest/`)).text()
    const recipes = [...page.matchAll(/<pre[^>]*><code>([^]*?)<\/code>/g)].map(([, text = '']) => text)
    const recipe = recipes.find((text) => text.includes('ssh-keygen')) ?? ''
    const code = recipe
      .replaceAll(/<\/?\w[^>]*>/g, '')
      .replaceAll('https://api.example.org', base)
      .replaceAll('&#39;', "'")
      .replaceAll('&#34;', '"')
      .replaceAll('&#60;', '<')
    mkdirSync(file('reader'))
    const { stdout } = await promisify(execFile)('sh', ['-ec', code], { cwd: file('reader') })
    await stop()
    expect(stdout).toContain('Good "file" signature for fundpress with ED25519 key SHA256:')
    expect(stdout).toContain('snapshot.json: OK')
    expect(stdout).toContain(`"as_of":"${asOf}"`)
    expect(page).toContain(/SHA256:[\w+/]{43}/.exec(stdout)?.[0] ?? 'none')
    expect(bytes('reader/allowed_signers').toString()).toBe(
      `fundpress namespaces="file" ${first.publicKey.replace(' a comment', '')}\n`,
    )
    expect(checked(file('reader/allowed_signers'), file('signed/SHA256SUMS'))).toContain('Good')
  })

  it('the same rows and key give the same bytes, in shards too, and the id of a snapshot without a signature', async () => {
    for (const shard of ['1/2', '2/2'])
      await expectSuccess(
        build(`part-${shard[0] ?? ''}`, { FUNDPRESS_SIGNING_KEY: 'env:NOBODY_SET' }, ` --shard ${shard}`),
      )
    await expectSuccess(
      press.bare('build --db funds.sqlite --out merged --merge part-1 part-2', {
        ...settings,
        ...signedBy(first),
      }),
    )
    // The night after builds into the same folder.
    await expectSuccess(build('merged', signedBy(first)))
    for (const name of ['SHA256SUMS.sig', `downloads/${asOf}/SHA256SUMS.sig`])
      expect(bytes(`merged/${name}`)).toEqual(bytes(`signed/${name}`))
    expect(snapshotId(file('plain'))).toBe(snapshotId(file('signed')))
    expect(existsSync(file('plain/SHA256SUMS.sig'))).toBe(false)
  })

  it('verify accepts it with the key, with the public key alone, and without any; old buckets need no signature', async () => {
    await expectSuccess(verify(signedBy(first)))
    await expectSuccess(verify())
    await expectSuccess(verify({ FUNDPRESS_SIGNING_KEY: 'env:NOBODY_SET' }))
    await expectSuccess(publish('plain', {}, ' --allow settings:signing.publicKeys --reason test'))
    await expectSuccess(verify())
    const { stdout, stderr } = await faults(verify(signedBy(first)))
    expect(stdout).toContain('SHA256SUMS has no signature, though there is a key')
    expect(stdout).toMatch(/downloads\/[\w-]+\/SHA256SUMS has no signature/)
    expect(stderr).toContain('build the snapshot again with the setting signing.key')
  })

  it('verify finds another key, and a manifest that was changed together with an object', async () => {
    const other = await faults(verify(signedBy(second)))
    expect(other.stdout).toContain('SHA256SUMS.sig is no signature by signing.key')
    const slot = press.bucket.live()?.slot ?? 'none'
    const place = `${slot}/manifest.ndjson.gz`
    const manifest = gunzipSync(press.bucket.body(place)).toString()
    const line = /(?<="key":"errors\/index\/400-noisin.json","sha256":")\w+","bytes":\d+/
    const digest = createHash('sha256').update('{}').digest('hex')
    press.bucket.put(place, gzipSync(manifest.replace(line, `${digest}","bytes":2`)))
    press.bucket.put(`${slot}/errors/index/400-noisin.json`, '{}')
    const { stdout } = await faults(verify())
    expect(stdout).toContain('SHA256SUMS.sig is no signature by signing.key')
  })

  it('another key signs the same snapshot anew, and readers still check days that the earlier key has signed', async () => {
    const config = { signing: { key: 'env:NIGHT_KEY', publicKeys: [second.publicKey, first.publicKey] } }
    writeFileSync(file('rotated.json'), JSON.stringify(config))
    const env = { NIGHT_KEY: second.secret }
    await expectSuccess(build('rotated', env, ' --config rotated.json'))
    await expectSuccess(verify(env, ' --config rotated.json'))
    await expectSuccess(
      press.fundpress('publish --out rotated --config rotated.json --allow settings --reason test', {
        ...settings,
        ...env,
      }),
    )
    await expectSuccess(verify(env, ' --config rotated.json --deep'))
    const signers = file('rotated/signing-key.txt')
    for (const out of ['signed', 'rotated'])
      expect(checked(signers, file(`${out}/downloads/${asOf}/SHA256SUMS`))).toContain('Good')
    const { stdout } = await faults(verify(signedBy(first)))
    expect(stdout).toContain('SHA256SUMS.sig is no signature')
  })

  it('refuses a key that cannot sign, and never shows it', async () => {
    const locked = makeKey(file('locked'), '-N', 'a passphrase').secret
    for (const [key, message] of [
      [locked, 'signing.key has a passphrase'],
      ['env:NOBODY_SET', 'signing.key: the environment variable NOBODY_SET is not set'],
      ['a secret by mistake', 'FUNDPRESS_SIGNING_KEY is a value that is not shown: it must be env:NAME'],
    ] as const) {
      const { code, stdout, stderr } = await build('refused', { FUNDPRESS_SIGNING_KEY: key })
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
      expect(stdout + stderr).not.toContain(key.slice(40, 80) || key)
    }
    writeFileSync(file('wrong.json'), JSON.stringify({ signing: { publicKeys: ['ssh-rsa AAAA'] } }))
    const { code, stderr } = await build('refused', {}, ' --config wrong.json')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('"signing.publicKeys[0]" must be a public key'),
    })
  })
})
