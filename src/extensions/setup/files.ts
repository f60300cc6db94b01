/** Files of `fundpress setup`: made from the answers, compared with existing files, and then written. */

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fromTemplate, jurisdictionOf, portOf, stackName } from '../../core/edge/deployment.ts'
import { replaceFile } from '../../core/system/durable.ts'
import { placeToWrite } from '../../core/system/place.ts'
import { shellText, shellWord } from '../../core/system/shell-text.ts'
import type { KnownSettings } from '../../core/cli/known-settings.ts'
import { parseConfig } from '../../core/cli/load-settings.ts'
import type { Answers } from './answers.ts'
import { parseRelease } from '../../core/cli/release.ts'
import { makeUnits } from './units.ts'
import { makeWorkflows, timesFrom } from './workflows.ts'

interface SetupFile {
  readonly path: string
  readonly text: string
}

/** @throws {UsageError} if the answers make a config file that is not valid */
export async function makeSetup(known: KnownSettings, answers: Answers): Promise<readonly SetupFile[]> {
  const config = { path: 'fundpress.config.json', text: configOf(answers) }
  parseConfig(known, config.path, config.text)
  const own = answers.target === 'server' ? await serverFiles(answers) : await cloudFiles(answers)
  const ignored = { path: '.gitignore', text: await ignoredFiles(answers) }
  return [config, ...own, ignored]
}

function configOf(answers: Answers): string {
  const { target, action, root, company, imprint, privacy, contact, licenceName, licenceUrl } = answers
  const { bucket, region, endpoint, prefix, baseUrl, database, port } = answers
  const { repository = '', commit = '' } = parseRelease(action) ?? {}
  const schema = 'templates/fundpress.config.schema.json'
  const isServer = target === 'server'
  const config = {
    $schema: isServer
      ? `${root}/opt/fundpress/lib/node_modules/@fundpress/cli/${schema}`
      : `https://raw.githubusercontent.com/${repository}/${commit}/${schema}`,
    ...(isServer ? { db: database, out: `${root}/var/lib/fundpress/out` } : {}),
    // Half a load must not publish yesterday's prices as of today.
    requireComplete: true,
    baseUrl,
    site: { name: company, imprint, privacy, contact },
    licence: licenceName === '' ? undefined : { name: licenceName, url: licenceUrl || undefined },
    bucket: {
      name: bucket,
      region: region || undefined,
      endpoint: endpoint || undefined,
      prefix: prefix || undefined,
    },
    serve: isServer ? { port: Number(port) } : undefined,
  }
  return `${JSON.stringify(config, undefined, 2)}\n`
}

async function cloudFiles(answers: Answers): Promise<readonly SetupFile[]> {
  const { target, bucket, prefix, repository, region, endpoint } = answers
  const { database, baseUrl, contact, kmsKey } = answers
  const isAws = target === 'aws'
  const stack = stackName(bucket)
  const [, databaseBucket = bucket, databaseKey = ''] = /^s3:\/\/([^/]+)\/(.*)/.exec(database) ?? []
  const isElsewhere = databaseBucket !== bucket
  const variables = {
    FUNDPRESS_BUCKET: bucket,
    FUNDPRESS_REGION: region,
    FUNDPRESS_ENDPOINT: endpoint,
    FUNDPRESS_PREFIX: prefix,
    FUNDPRESS_DATABASE: database,
  }
  const commands = Object.entries(variables)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `gh variable set ${name} --repo ${repository} --body ${shellText(value)}`)
  if (isAws) commands.push(...stackCommands(answers, stack))
  if (isAws && isElsewhere) commands.push(regionCommand(databaseBucket, answers))
  const { attempts } = await timesFrom(answers.at)
  const values = {
    bucket,
    repository,
    region,
    stack,
    package: shellText(answers.package),
    ...sourceOf(answers),
    database,
    baseUrl: shellText(baseUrl),
    host: shellWord(new URL(baseUrl).hostname),
    contact: shellText(contact),
    mail: contact,
    platform: isAws ? 'AWS' : 'Cloudflare',
    tools: toolsOf(answers),
    rights: isAws ? 'roles' : 'keys',
    jurisdiction: jurisdictionFlag(endpoint),
    variables: commands.join('\n'),
    parameters: databaseKey === '' ? '' : ` Database=${databaseBucket}/${databaseKey}`,
    kms: kmsKey === '' ? '' : await fromTemplate('setup/kms.md', { key: kmsKey, bucket, region, stack }),
    databaseKey: isElsewhere
      ? await fromTemplate('setup/database-key.md', { repository, bucket: databaseBucket })
      : '',
    load: await fromTemplate('setup/load.md', { program: 'fundpress', database: 'funds.sqlite' }),
    handOver: await handOver(answers, databaseBucket),
    tell: await fromTemplate('setup/tell.md', {}),
    tellGitHub: await fromTemplate('setup/tell-github.md', { repository }),
    fetch: fetchOf(answers, isElsewhere),
    times: attempts.join(', '),
  }
  const checklist = await fromTemplate('setup/cloud.md', {
    ...values,
    edge: await fromTemplate(`setup/${target}-edge.md`, values),
    keys: isAws ? '' : await fromTemplate('setup/cloudflare-keys.md', values),
    access: await fromTemplate(`setup/${target}-access.md`, values),
  })
  return [
    ...(await makeWorkflows(answers)),
    { path: '.github/dependabot.yml', text: await readFile(new URL('dependabot.yml', github), 'utf8') },
    { path: 'SETUP.md', text: checklist },
  ]
}

function stackCommands({ repository, region }: Answers, stack: string): readonly string[] {
  const query = `"Stacks[0].Outputs[?OutputKey=='$1'].OutputValue"`
  const describe = `aws cloudformation describe-stacks --region ${region} --stack-name ${stack}`
  const outputs = {
    FUNDPRESS_ROLE: 'PublisherRoleArn',
    FUNDPRESS_WATCH_ROLE: 'WatchRoleArn',
    FUNDPRESS_KEY_VALUE_STORE: 'KeyValueStoreArn',
  }
  const commands = Object.entries(outputs).map(
    ([name, output]) => `gh variable set ${name} --repo ${repository} --body "$(output ${output})"`,
  )
  return [`output() { ${describe} --query ${query} --output text; }`, ...commands]
}

/** Where the workflows get fundpress from. Their files name the commit. */
function sourceOf({ action }: Answers) {
  const { repository: source = '', version = '' } = parseRelease(action) ?? {}
  return { source, version }
}

/** For wrangler: '' without a jurisdiction. */
function jurisdictionFlag(endpoint: string): string {
  const jurisdiction = jurisdictionOf(endpoint)
  return jurisdiction === null ? '' : ` --jurisdiction ${jurisdiction}`
}

/** How the first database gets to where the nights read it, and who may write it there. @param bucket of the database */
async function handOver(answers: Answers, bucket: string): Promise<string> {
  const { target, database, repository, region, endpoint } = answers
  if (database.startsWith('artifact:')) {
    const { move } = await timesFrom(answers.at)
    const [hour, minute] = move('01:07').split(':').map(Number)
    return fromTemplate('setup/database-artifact.md', {
      artifact: database.slice('artifact:'.length),
      cron: `${minute ?? 0} ${hour ?? 0} * * *`,
      package: shellText(answers.package),
      repository,
    })
  }
  if (!database.startsWith('s3://')) {
    const folder = dirname(database)
    const copy = `cp funds.sqlite ${database}\n`
    const make = database === 'funds.sqlite' ? '' : folder === '.' ? copy : `mkdir -p ${folder}\n${copy}`
    return fromTemplate('setup/database-path.md', { database, repository, make })
  }
  return fromTemplate(`setup/database-${target}.md`, {
    database,
    bucket,
    object: database.replace('s3://', ''),
    region,
    endpoint: shellText(endpoint),
    jurisdiction: jurisdictionFlag(endpoint),
  })
}

/** The database may be in a bucket of another region. */
const regionCommand = (bucket: string, { repository, region }: Answers) =>
  `gh variable set FUNDPRESS_DATABASE_REGION --repo ${repository} --body ` +
  `"$(aws s3api head-bucket --region ${region} --bucket ${bucket} --query BucketRegion --output text)"`

function toolsOf({ target, database, kmsKey }: Answers): string {
  if (target === 'aws') return `\`aws\` and \`gh\`, both signed in${kmsKey === '' ? '' : ', and `jq`'}`
  return `\`gh\`, signed in${database.startsWith('s3://') ? ', and `aws`' : ''}`
}

function fetchOf({ database, repository, target, region, endpoint }: Answers, isElsewhere: boolean): string {
  if (database.startsWith('artifact:'))
    return `gh run download --repo ${repository} --name ${database.slice('artifact:'.length)} --dir database\nmv database/* funds.sqlite`
  if (database === 'funds.sqlite') return 'ls -l funds.sqlite'
  if (!database.startsWith('s3://')) return `cp ${shellWord(database)} funds.sqlite`
  if (target === 'aws') return `aws s3 cp --region ${region} ${database} funds.sqlite`
  const copy = `aws s3 cp --region ${region} --endpoint-url ${shellText(endpoint)} ${database} funds.sqlite`
  if (!isElsewhere) return copy
  return [
    "printf 'Access key of the database: '; read -r database_key",
    "printf 'Secret: '; read -r -s database_secret",
    `AWS_ACCESS_KEY_ID=$database_key AWS_SECRET_ACCESS_KEY=$database_secret ${copy}`,
  ].join('\n')
}

const github = new URL('../../../templates/github/', import.meta.url)

async function serverFiles(answers: Answers): Promise<readonly SetupFile[]> {
  const { root, user, bucket, database, at, port, baseUrl } = answers
  const { attempts } = await timesFrom(at)
  const folder = bucket.replace('file://', '')
  const folders = [...new Set([`${root}/var/lib/fundpress`, dirname(database), folder])]
  const program = `${root}/opt/fundpress/bin/fundpress`
  const run = `runuser -u ${user} -- ${program} --config ${root}/etc/fundpress/fundpress.config.json`
  const values = {
    root,
    user,
    port,
    database,
    folder,
    folders: folders.join(' '),
    package: shellText(answers.package),
    fundpress: program,
    run,
    status: shellText(`${baseUrl}/status/`),
    host: new URL(baseUrl).hostname,
    public: portOf(baseUrl),
    times: attempts.join(', '),
    load: await fromTemplate('setup/load.md', { program: run, database }),
    tell: await fromTemplate('setup/tell.md', {}),
  }
  return [
    ...(await makeUnits(answers, folders)),
    { path: 'SETUP.md', text: await fromTemplate('setup/server.md', values) },
  ]
}

async function ignoredFiles({ target, database }: Answers): Promise<string> {
  const text = await fromTemplate('setup/gitignore', {})
  const isInRepository = target !== 'server' && !/^(s3|artifact):/.test(database)
  if (!isInRepository) return text
  // Git finds no exception in a folder that it ignores.
  const lines = text.split('\n').filter((line) => line === '' || !`/${database}`.startsWith(line))
  return `${lines.join('\n')}!/${database}\n`
}

interface Writing {
  readonly file: string
  readonly text: string
  /** Null: no such file. */
  readonly earlier: string | null
}

/** Compares with existing files. A `.gitignore` keeps its lines. @returns `differing`: existing files among the `writings` */
export function compareWith(dest: string, files: readonly SetupFile[]) {
  const all = files.map(({ path, text }): Writing => {
    const file = join(dest, path)
    const place = placeToWrite(file, 'file')
    const earlier = existsSync(place) ? readFileSync(place, 'utf8') : null
    return { file, earlier, text: path === '.gitignore' ? withLines(earlier ?? '', text) : text }
  })
  const writings = all.filter(({ text, earlier }) => text !== earlier)
  const differing = writings.filter(({ earlier, file }) => earlier !== null && !file.endsWith('.gitignore'))
  return { writings, differing: differing.map(({ file }) => file) }
}

function withLines(text: string, wanted: string): string {
  const has = new Set(text.split('\n').map((line) => line.trim()))
  const lacking = wanted.split('\n').filter((line) => line !== '' && !has.has(line))
  if (lacking.length === 0) return text
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${start}${lacking.join('\n')}\n`
}

/** Restores all files if one cannot be written. */
export async function writeAll(writings: readonly Writing[]): Promise<void> {
  for (const { file } of writings) await mkdir(dirname(file), { recursive: true })
  const written: Writing[] = []
  try {
    for (const one of writings) {
      replaceFile(one.file, one.text)
      written.push(one)
    }
  } catch (error) {
    for (const { file, earlier } of written)
      if (earlier === null) rmSync(file, { force: true })
      else replaceFile(file, earlier)
    throw error
  }
}
