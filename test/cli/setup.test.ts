/** `fundpress setup`: the files that it writes for each target, whatever the answers, and what it checks afterwards. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { goodRows, isinOf, makeDatabase } from '../support/database.ts'
import { readWorkflow } from '../support/github/files.ts'
import { lint } from '../support/github/lint.ts'
import { tempFolder } from '../support/product.ts'
import { lacks } from '../support/programs.ts'
import { expectFailure, expectSuccess, oneLine } from './outcome.ts'
import { cleanEnvironment, ended, launcher, run } from './run.ts'
import {
  commit,
  company,
  filesOf,
  flagsOf,
  setupWords,
  targets,
  textsOf,
  type Target,
} from './setup-flags.ts'

const folder = tempFolder()
const setup = (...given: Parameters<typeof setupWords>) => run(setupWords(...given), { cwd: folder.path })

let count = 0
/** @returns the folder with the files of a new company */
async function written(target: Target, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const dest = folder.file(`${target}-${++count}`)
  await expectSuccess(setup(target, dest, more))
  return dest
}

interface Config {
  readonly baseUrl: string
  readonly requireComplete: boolean
  readonly site: Readonly<Record<string, string>>
  readonly licence: unknown
  readonly serve: unknown
}
const configOf = (dest: string) =>
  JSON.parse(readFileSync(join(dest, 'fundpress.config.json'), 'utf8')) as Config

describe('the files', () => {
  it('are those that a target needs', async () => {
    const common = ['.gitignore', 'SETUP.md', 'fundpress.config.json']
    const onGitHub = [
      '.github/dependabot.yml',
      '.github/workflows/watch.yml',
      '.github/workflows/nightly.yml',
    ]
    for (const target of ['aws', 'cloudflare'] as const)
      expect(filesOf(await written(target))).toEqual([...common, ...onGitHub].sort())
    const units = ['nightly', 'verify', 'watch'].flatMap((name) => [`${name}.service`, `${name}.timer`])
    const dropIns = ['fundpress-.service.d/hardening.conf', 'fundpress-serve.service.d/network.conf']
    const others = ['failed.sh', 'network.conf', ...dropIns]
    const serve = ['serve.service', 'serve.socket']
    const all = [...others, ...['failed@.service', ...serve, ...units].map((name) => `fundpress-${name}`)]
    const ofServer = all.map((name) => `systemd/${name}`)
    expect(filesOf(await written('server'))).toEqual([...common, ...ofServer].sort())
  })

  it.each(targets)(
    'of %s hold no name without a value, and the config file is valid as it stands',
    async (target) => {
      const dest = await written(target)
      for (const [name, text] of Object.entries(textsOf(dest))) {
        expect({ name, fault: /(?<!\$)\{\{|undefined|\[object/.exec(text) }).toEqual({ name, fault: null })
        if (name.endsWith('.json')) JSON.parse(text)
        if (name.endsWith('.yml')) parse(text)
      }
      // Each command reads the config file of its folder.
      await expectSuccess(run('init --db new.sqlite', { cwd: dest }))
      expect(configOf(dest).requireComplete).toBe(true)
      expect(configOf(dest).site).toEqual({
        name: 'Beispiel Invest GmbH',
        imprint: 'https://example.com/imprint',
        privacy: 'https://example.com/privacy',
        contact: 'data@example.com',
      })
    },
  )
})

describe('the checklist', () => {
  const checklistOf = async (...given: Parameters<typeof written>) =>
    textsOf(await written(...given))['SETUP.md'] ?? ''

  it('lets the stack make the roles, which may read the database if it is in S3', async () => {
    expect(await checklistOf('aws')).toContain(' Database=fund-in/funds.sqlite\n')
    expect(await checklistOf('aws', { database: 'artifact:funds' })).not.toContain(' Database=')
  })

  it('keeps to the lengths of names on AWS if the bucket has the longest', async () => {
    const text = await checklistOf('aws', { bucket: 'b'.repeat(63) })
    const [, code = ''] = /^code=(\S+?)\$\(aws sts get-caller-identity /m.exec(text) ?? []
    const [, stack = ''] = / --stack-name (\S+)/.exec(text) ?? []
    expect(`${code}123456789012`).toMatch(/^[a-z0-9-]{3,63}$/)
    expect(`${stack}-viewer-response`).toMatch(/^[\w-]{1,64}$/)
  })

  it('lets the stack encrypt the bucket with the key, and adds the statements of its output to the policy of that', async () => {
    const key = 'arn:aws:kms:eu-central-1:123456789012:key/abc'
    const text = await checklistOf('aws', { 'kms-key': key })
    expect(text).toContain(` --parameter-overrides KmsKeyArn=${key}\n`)
    expect(text).toMatch(
      / --stack-name fundpress-fund-data --query .*StatementsForKey.* > key-statements\.json$/m,
    )
    expect(await checklistOf('aws')).not.toContain('kms')
    await expectFailure(
      setup('aws', folder.file('refused'), { 'kms-key': key, region: 'eu-west-1' }),
      /--kms-key is not of region eu-west-1/,
      2,
    )
  })

  it.each([
    [
      'aws',
      's3://fund-in/funds.sqlite',
      ['aws s3 mb --region eu-central-1 s3://fund-in', 'arn:aws:s3:::fund-in/'],
    ],
    [
      'cloudflare',
      's3://fund-in/funds.sqlite',
      ['wrangler r2 bucket create fund-in', 'aws s3 cp --region auto'],
    ],
    ['aws', 'artifact:funds', ['gh workflow run load.yml', '          name: funds']],
    ['cloudflare', 'in/funds.sqlite', ['cp funds.sqlite in/funds.sqlite', 'git add in/funds.sqlite']],
  ] as const)(
    'says how the first database of %s gets to %s, before the first night',
    async (target, database, steps) => {
      const text = await checklistOf(target, { database })
      const [, step = ''] = /^## 4\. The first database\n(.*?)^## 5\. /ms.exec(text) ?? []
      expect(step).toContain(`from \`${database}\``)
      expect(step).toContain('fundpress import --complete --db funds.sqlite\n')
      expect(steps.filter((line) => !step.includes(line))).toEqual([])
    },
  )

  it('names the version of the workflows, and its commit in no sentence', async () => {
    const text = await checklistOf('aws')
    expect(text).toContain('take fundpress 1.2.3 from the repository `owner/fundpress`')
    expect(text).not.toContain(commit)
  })

  it('has a valid workflow for a database that is an artifact, whose load precedes the night', async () => {
    const text = await checklistOf('aws', { database: 'artifact:funds', at: '16:30' })
    const [, workflow = ''] = /^```yaml\n(.*?)^```$/ms.exec(text) ?? []
    expect(await lint(workflow, '.github/workflows/load.yml')).toEqual([])
    expect(workflow).toContain("- cron: '20 14 * * *'\n")
    const pinned = [...workflow.matchAll(/uses: (.*)$/gm)].map(([, what = '']) => what)
    expect(pinned.length).toBe(3)
    expect(pinned.filter((what) => !/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(what))).toEqual([])
  })

  it('keep databases, and all that fundpress leaves beside one, out of Git', async () => {
    const dest = await written('aws')
    const git = (...words: readonly string[]) =>
      spawnSync('git', words, { cwd: dest, encoding: 'utf8' }).stdout
    git('init')
    const before = git('status', '--short', '--untracked-files')
    makeDatabase(join(dest, 'funds.sqlite'), (insert) =>
      insert('fund', { isin: isinOf(1), ...goodRows['fund'] }),
    )
    const points = folder.file('points.csv')
    writeFileSync(points, `isin;date;value\n${isinOf(1)};2020-01-01;5\n`)
    await expectSuccess(run(['import', 'launch_point', points, '--db', 'funds.sqlite'], { cwd: dest }))
    expect(readdirSync(dest).filter((name) => /^funds\.sqlite\..+/.test(name))).toHaveLength(1)
    for (const suffix of ['-wal', '-shm', '-journal', '.new', '.0b6c.part'])
      writeFileSync(join(dest, `funds.sqlite${suffix}`), '')
    writeFileSync(join(dest, '.funds.sqlite.fundpress-12.tmp'), '')
    await expectSuccess(run('import --complete 2026-11-10 --db funds.sqlite', { cwd: dest }))
    expect(git('status', '--short', '--untracked-files')).toBe(before)
  })

  it('takes a database in the repository, which git does not ignore', async () => {
    const database = 'database/funds.sqlite'
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
  })

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
  it('use the released actions, have the schedules, and are valid', async () => {
    const dest = await written('aws', { at: '16:30' })
    const workflows = join(dest, '.github/workflows')
    expect(readdirSync(workflows).sort()).toEqual(['nightly.yml', 'watch.yml'])
    for (const file of readdirSync(workflows)) {
      const text = readFileSync(join(workflows, file), 'utf8')
      expect(await lint(text, `.github/workflows/${file}`)).toEqual([])
      const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, what = '']) => what)
      expect(used.filter((what) => !/^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(what))).toEqual(
        [],
      )
      expect(used).toContain(`owner/fundpress/.github/actions/fundpress-issue@${commit} # v1.2.3`)
      expect(text).not.toMatch(/\.\/\.github\/actions|templates\/github/)
    }
    const { on } = readWorkflow(join(workflows, 'nightly.yml'))
    const cronsOf = (schedule: typeof on.schedule) =>
      schedule?.map(({ cron, timezone }) => `${cron} ${timezone}`)
    const inBerlin = (...crons: readonly string[]) => crons.map((cron) => `${cron} Europe/Berlin`)
    expect(cronsOf(on.schedule)).toEqual(inBerlin('30 16 * * *', '56 17 * * *', '24 19 * * *', '51 20 * * *'))
    const watch = readWorkflow(join(workflows, 'watch.yml'))
    expect(cronsOf(watch.on.schedule)).toEqual(inBerlin('39 23 * * *', '5 6 * * *', '52 1 * * 0'))
    expect(watch.jobs['verify']?.if).toContain("startsWith(github.event.schedule, '52 1 * * 0')")
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
      // Those of other stores and of an approval, and those that have a default.
      const optional =
        /_(APPROVAL|FLIP_ROLE|ARTIFACT_RUN_ID|SINCE|MAX_AGE|MAX_WAIT|PATH_STYLE|SIGNING_KEY)$|_DATABASE_.+/
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
      '--repository <owner/name>, --database <place>, --action <release>, --package <file>'
    await expectFailure(
      run(flags, { cwd: folder.path }),
      [oneLine, `these answers are missing: ${missing}`],
      2,
    )
    expect(existsSync(empty)).toBe(false)
  })

  it('have to come from flags without a terminal', async () => {
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
    ['aws', 'prefix', '$(touch pwned)'],
    ['aws', 'repository', 'acme/funds@main: {}'],
    ['aws', 'database', 'artifact:$(touch pwned)'],
    ['aws', 'action', `owner/fundpress@1.2.3\n  evil: x#${commit}`],
    ['aws', 'package', '@fundpress/cli@$(touch pwned)'],
    ['cloudflare', 'endpoint', 'https://user:secret@example.com'],
    ['server', 'user', 'root; touch pwned'],
    ['server', 'database', '/srv/%h/funds.sqlite\nUser=root'],
    ['server', 'company', 'two\nlines'],
  ] as const)('of %s refuse %s %j with exit code 2, and write nothing', async (target, name, value) => {
    const dest = folder.file('refused')
    await expectFailure(setup(target, dest, { [name]: value }), [oneLine, `'--${name} <`], 2)
    expect(existsSync(dest)).toBe(false)
  })

  it('that exclude each other are refused', async () => {
    const insecure = { 'base-url': 'http://api.example.com' }
    await expectFailure(setup('cloudflare', folder.file('refused'), insecure), /has to begin with https:/, 2)
    const noName = { 'licence-url': 'https://example.com/licence' }
    await expectFailure(setup('aws', folder.file('refused'), noName), /--licence-url needs --licence-name/, 2)
  })

  it.skipIf(lacks('bash')).each(targets)(
    'with metacharacters stay text in all files of %s',
    async (target) => {
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
      expect({ name: site.name, imprint: site.imprint, privacy: site.privacy }).toEqual({
        name: hostile,
        imprint: url,
        privacy: url,
      })
      expect({ licence, baseUrl }).toEqual({ licence: { name: hostile, url }, baseUrl: url })
      for (const [name, text] of Object.entries(textsOf(dest)))
        if (!['fundpress.config.json', 'SETUP.md'].includes(name)) expect(text).not.toContain('pwned')
      // Every program is missing, so only what the shell itself does can happen.
      for (const block of blocksOf(dest)) {
        const { stderr } = spawnSync('/bin/bash', ['-c', block], {
          cwd: dest,
          env: { PATH: '/nowhere' },
          encoding: 'utf8',
        })
        expect({ block, fault: /syntax error|unexpected EOF/.exec(stderr) }).toEqual({ block, fault: null })
      }
      expect(filesOf(dest).filter((name) => name.includes('pwned'))).toEqual([])
    },
  )

  it.skipIf(lacks('script'))('come from a terminal, too, where a wrong one is asked for again', async () => {
    const dest = folder.file('asked')
    const known = Object.fromEntries(Object.entries(company).filter(([name]) => name !== 'base-url'))
    const words = ['setup', 'server', '--dest', dest, ...flagsOf({ ...known, port: '18080' })]
    const line = [process.execPath, launcher, ...words].map((word) => `'${word}'`).join(' ')
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      cwd: folder.path,
      env: cleanEnvironment(),
    })
    const end = ended(child)
    const replies: readonly (readonly [RegExp, string])[] = [
      [/Address of the API.*: $/, 'nonsense'],
      [/This is 'nonsense': it must be an absolute http[^]*: $/, 'https://api.example.com'],
      [/Licence of the data.*\(empty: none\): $/, 'CC-BY-4.0'],
      [/licence's text.*: $/, ''],
      [/Bucket.* \[file:\/\/\/srv\/fundpress\]: $/, ''],
      [/Fund database.*: $/, ''],
      [/Time of the first attempt.* \[03:17\]: $/, '04:34'],
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
    expect({ code, next, stdout }).toEqual({
      code: 0,
      next: replies.length,
      stdout: expect.stringContaining('SETUP.md'),
    })
    const { baseUrl, licence, serve } = configOf(dest)
    expect({ baseUrl, licence, serve }).toEqual({
      baseUrl: 'https://api.example.com',
      licence: { name: 'CC-BY-4.0' },
      serve: { port: 18_080 },
    })
    expect(readFileSync(join(dest, 'systemd/fundpress-nightly.timer'), 'utf8')).toContain(
      'OnCalendar=*-*-* 04:34:00 Europe/Berlin\nOnCalendar=*-*-* 06:00:00 Europe/Berlin\n',
    )
  })
})

/** The shell blocks of a checklist. */
const blocksOf = (dest: string) =>
  [...readFileSync(join(dest, 'SETUP.md'), 'utf8').matchAll(/^```sh.*\n([^]*?)^```$/gm)].map(
    ([, block = '']) => block,
  )
