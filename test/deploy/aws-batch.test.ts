/** The night on AWS Batch: the template, and its state machines with real jobs and a bucket. */
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openBatch, type Batch, type JobDefinition } from '../support/aws-batch.ts'
import { cfnLint, filledIn, lacksCfnLint, statementsIn } from '../support/cloudformation.ts'
import type { Statement, Template } from '../support/cloudformation.ts'
import { lacksShellcheck, shellcheck } from '../support/programs.ts'
import { mustRun, tempFolder } from '../support/product.ts'
import { run } from '../cli/run.ts'

const folder = 'templates/aws-batch'
const textOf = (name: string) => readFileSync(`${folder}/${name}`, 'utf8')
// As CloudFormation reads YAML.
const template = parse(textOf('template.yaml'), { version: '1.1' }) as Template
const parameters = {
  Bucket: 'funds',
  Prefix: 'nights/',
  Database: 'fund-in/funds.sqlite',
  VpcId: 'vpc-1',
  SubnetA: 'subnet-1',
  SubnetB: 'subnet-2',
}
const secrets = {
  HeartbeatSecretArn: 'arn:aws:ssm:us-east-1:123456789012:parameter/heartbeat',
  NotifySecretArn: 'arn:aws:ssm:us-east-1:123456789012:parameter/notify',
  SigningSecretArn: 'arn:aws:ssm:us-east-1:123456789012:parameter/signing',
}
const sharded = filledIn(template, { ...parameters, ...secrets, Shards: 8 })
const halved = filledIn(template, { ...parameters, Shards: 2 })
const simple = filledIn(template, parameters)
const propertiesOf = <T>(name: string, of = sharded) => of.Resources[name]?.Properties as T
const job = propertiesOf<JobDefinition>('Job')
const namesOf = (type: string) =>
  Object.entries(template.Resources).flatMap(([name, { Type }]) => (Type === type ? [name] : []))

describe('the template', () => {
  it.skipIf(lacksCfnLint)('has nothing that cfn-lint finds', () => {
    expect(cfnLint(`${folder}/template.yaml`)).toBe('')
    // CloudFormation follows no aliases, and takes no larger text without a bucket for it.
    expect(Buffer.byteLength(textOf('template.yaml'))).toBeLessThan(51_200)
    expect(textOf('template.yaml')).not.toMatch(/^[^#]*[:-] [&*]\w/m)
  })

  it('makes a file system only if there are shards', () => {
    const typesOf = ({ Resources }: Template) => Object.values(Resources).map(({ Type }) => Type)
    expect(typesOf(simple).filter((type) => type.includes('EFS'))).toEqual([])
    expect(typesOf(sharded).filter((type) => type.includes('EFS'))).toHaveLength(4)
    expect(JSON.stringify(simple.Resources)).not.toMatch(/FileSystem|AccessPoint|\/heartbeat/)
    const { ContainerProperties } = propertiesOf<JobDefinition>('Job', simple)
    expect(ContainerProperties).toMatchObject({ Secrets: [], MountPoints: [{ ContainerPath: '/workdir' }] })
    expect(ContainerProperties.Volumes).toEqual([{ Name: 'work' }])
  })

  it('runs the version of this package, as a user without rights on a disk that is read-only', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
    for (const name of ['Job', 'GuardJob'])
      expect(propertiesOf<JobDefinition>(name).ContainerProperties).toMatchObject({
        Image: `Repository.RepositoryUri:${version}`,
        User: '10001',
        ReadonlyRootFilesystem: true,
      })
    expect(propertiesOf('AccessPoint')).toMatchObject({ PosixUser: { Uid: '10001', Gid: '10001' } })
    const [volume] = job.ContainerProperties.Volumes.slice(1)
    expect(volume).toMatchObject({ EfsVolumeConfiguration: { TransitEncryption: 'ENABLED' } })
    expect(propertiesOf('FileSystem')).toMatchObject({ Encrypted: true })
  })

  it('gives all heartbeats and targets as secrets, and no secret as text', () => {
    const named = ({ ContainerProperties }: JobDefinition) =>
      ContainerProperties.Secrets.map(({ Name }) => Name)
    expect(named(job)).toEqual(['FUNDPRESS_HEARTBEAT_URL', 'FUNDPRESS_NOTIFY_URL', 'FUNDPRESS_SIGNING_KEY'])
    expect(named(propertiesOf('GuardJob'))).toEqual(['FUNDPRESS_NOTIFY_URL'])
    expect(JSON.stringify(job.ContainerProperties.Environment)).not.toMatch(/SECRET|TOKEN|KEY|URL/)
  })

  it('tries again what may go better, and not what a person has to look at', async () => {
    const { stdout: help } = await run('--help', { cwd: '.' })
    for (const meaning of ['2 wrong usage or settings', '3 a guard has refused', '4 nothing to do'])
      expect(help.replace(/\s+/g, ' ')).toContain(meaning)
    const { RetryStrategy } = job
    expect(RetryStrategy.EvaluateOnExit.length).toBeLessThanOrEqual(5)
    const exits = RetryStrategy.EvaluateOnExit.filter(({ Action }) => Action === 'EXIT')
    expect(exits.map(({ OnExitCode, OnReason }) => OnExitCode ?? OnReason)).toEqual([
      ...['2', '3', '4'],
      'OutOfMemoryError:*',
    ])
    expect(RetryStrategy.EvaluateOnExit.at(-1)).toEqual({ OnReason: '*', Action: 'RETRY' })
  })

  it('has the parameters and outputs that the README names', () => {
    const readme = textOf('README.md')
    const given = [...readme.matchAll(/(?<=[`\s])([A-Z][a-z]\w*)=(?!=)/g)].map(([, name = '']) => name)
    expect(given.length).toBeGreaterThan(8)
    expect(given.filter((name) => !(name in template.Parameters))).toEqual([])
    const asked = [...readme.matchAll(/OutputKey=='(\w+)'/g)].map(([, name = '']) => name)
    expect(asked.filter((name) => !(name in template.Outputs))).toEqual([])
    for (const name of Object.keys({ ...template.Parameters, ...template.Outputs }))
      expect(readme).toContain(`\`${name}\``)
  })
})

describe('rights', () => {
  const roles = namesOf('AWS::IAM::Role')
  const tempFolderOfStack = tempFolder()
  const rightsOf = (role: string) => statementsIn(propertiesOf<{ Policies: unknown }>(role).Policies)

  it('to the bucket are those of the policies that the stack of CloudFront has for the same', async () => {
    const edge = tempFolderOfStack.path
    const place = ['--bucket', 'funds', '--prefix', 'nights', '--region', 'us-east-1']
    await mustRun(['edge', 'cloudfront', ...place, '--dest', edge, '--quiet'])
    const stack = JSON.parse(readFileSync(join(edge, 'template.json'), 'utf8')) as Template
    const policies = filledIn(stack, { BucketName: 'funds' }).Resources
    const rightsIn = (found: readonly Statement[]) =>
      new Set(
        found.flatMap(({ Action, Resource }) =>
          [Action].flat().flatMap((action) => [Resource].flat().map((one) => `${action} ${String(one)}`)),
        ),
      )
    const wanted = (...names: readonly string[]) =>
      [...rightsIn(names.flatMap((name) => statementsIn(policies[name]?.Properties)))]
        // What the doctor asks, and the KeyValueStore, which is a parameter.
        .filter((right) => /^s3:(GetObject|PutObject|DeleteObject|ListBucket) /.test(right))
        .sort()
    const has = (role: string) =>
      [...rightsIn(rightsOf(role))].filter((right) => right.includes(':::funds')).sort()
    expect(has('JobRole')).toEqual(wanted('ReadPolicy', 'StagePolicy', 'FlipPolicy'))
    expect(has('WatchRole')).toEqual(wanted('ReadPolicy'))
    const database = { Action: 's3:GetObject', Resource: 'arn:aws:s3:::fund-in/funds.sqlite' }
    expect(rightsOf('JobRole')).toContainEqual(expect.objectContaining(database))
  })

  it('name their resources, but for the two actions that know none, and no action by a wildcard', () => {
    const statements = roles.flatMap(rightsOf)
    expect(statements.length).toBeGreaterThan(12)
    const broad = statements.filter(({ Resource }) => [Resource].flat().includes('*'))
    expect(broad.map(({ Action }) => Action)).toEqual(['ecr:GetAuthorizationToken', 'batch:DescribeJobs'])
    expect(statements.filter(({ Action }) => JSON.stringify(Action).includes('*'))).toEqual([])
    expect(statements.filter(({ Effect }) => Effect !== 'Allow')).toEqual([])
  })

  it('of each role go to one service, on behalf of this account only', () => {
    const trusts = roles.map((name) => {
      const [trust, ...more] = statementsIn(
        propertiesOf<Record<string, unknown>>(name)['AssumeRolePolicyDocument'],
      )
      expect(more).toEqual([])
      return [name, trust?.Principal, JSON.stringify(trust?.Condition ?? {})] as const
    })
    const service = (name: string) => ({ Service: `${name}.amazonaws.com` })
    expect(trusts.map(([name, principal]) => [name, principal])).toEqual([
      ['ExecutionRole', service('ecs-tasks')],
      ['JobRole', service('ecs-tasks')],
      ['WatchRole', service('ecs-tasks')],
      ['StateMachineRole', service('states')],
      ['SchedulerRole', service('scheduler')],
    ])
    // AWS documents no condition for the execution role of a task.
    for (const [name, , condition] of trusts.slice(1)) {
      expect(condition, name).toContain('"aws:SourceAccount":"123456789012"')
      expect(condition, name).toContain('"aws:SourceArn":"arn:aws:')
    }
  })
})

describe('job.sh', () => {
  const temporary = tempFolder()
  const path = `${temporary.path}:${process.env['PATH'] ?? ''}`
  beforeAll(() => {
    writeFileSync(temporary.file('fundpress'), '#!/bin/sh\necho "$@"\n')
    chmodSync(temporary.file('fundpress'), 0o755)
  })
  const dayOf = (STARTED: string, env = {}) => {
    const given = {
      PATH: path,
      PREFIX: '',
      DATABASE: 'fund-in/funds.sqlite',
      FUNDPRESS_DB: 'funds.sqlite',
      SHARED: '',
      STARTED,
    }
    const { stdout } = spawnSync('/bin/sh', [`${folder}/job.sh`, 'night'], {
      env: { ...given, ...env },
      encoding: 'utf8',
    })
    return / --as-of (\S+)/.exec(stdout)?.[1]
  }

  it("takes the day of Berlin from the execution's begin, in winter, in summer and where they meet", () => {
    const berlin = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Berlin' })
    const hours = ['00:59:59', '21:59:59', '22:00:00', '23:00:00']
    const days = ['2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25', '2026-12-31']
    for (const day of days)
      for (const hour of hours) {
        const started = `${day}T${hour}.123Z`
        expect([started, dayOf(started)]).toEqual([started, berlin.format(new Date(started))])
      }
    expect(dayOf('2026-07-01T22:30:00Z', { AS_OF: '2026-06-30' })).toBe('2026-06-30')
  })

  it.skipIf(lacksShellcheck)('has nothing that shellcheck finds', () => {
    expect(shellcheck(readFileSync(`${folder}/job.sh`, 'utf8'))).toBe('')
  })
})

describe('a night', () => {
  let batch: Batch
  beforeAll(async () => {
    batch = await openBatch()
  })
  afterAll(() => batch.stop())
  beforeEach(() => {
    batch.reset()
  })
  const at = (started: string) => ({ started: `${started}T02:17:00.000Z` })
  const wholeNight = ['ListOthers', 'IsAlone', 'Ask', 'Render', 'Publish']

  it('in shards publishes what one machine would, and a second execution finds nothing to do', async () => {
    const first = await batch.execute(halved, 'Night', at('2026-11-11'))
    expect(first, batch.log()).toMatchObject({ cause: null, states: wholeNight })
    expect(batch.live()?.snapshot).toBe(await batch.snapshotOf('2026-11-11'))
    expect(batch.attempts()).toEqual(['ask 0', 'render 0', 'render 0', 'publish 0'])

    const second = await batch.execute(halved, 'Night', at('2026-11-11'))
    expect(second, batch.log()).toMatchObject({
      cause: null,
      states: ['ListOthers', 'IsAlone', 'Ask', 'Answer', 'NothingToDo'],
    })
    expect(batch.attempts()).toEqual(['ask 4'])
  })

  it('without shards is one job, and nothing begins while another execution runs', async () => {
    const busy = await batch.execute(simple, 'Night', { ...at('2026-11-11'), others: ['older'] })
    expect(busy).toMatchObject({ cause: null, states: ['ListOthers', 'IsAlone', 'AnotherRuns'] })
    expect(batch.attempts()).toEqual([])

    const night = await batch.execute(simple, 'Night', at('2026-11-11'))
    expect(night, batch.log()).toMatchObject({
      cause: null,
      states: ['ListOthers', 'IsAlone', 'PublishAlone'],
    })
    expect(batch.live()?.snapshot).toBe(await batch.snapshotOf('2026-11-11'))
    // Far too old by now.
    const watch = await batch.execute(simple, 'Watch', at('2026-11-11'))
    expect(watch.cause).toContain('FAILED')
    // What it put there is still there.
    const verify = await batch.execute(simple, 'Watch', { ...at('2026-11-11'), input: { step: 'verify' } })
    expect(verify, batch.log()).toMatchObject({ cause: null })
    expect(batch.attempts()).toEqual(['night 0', 'watch 1', 'watch 0'])
  })
})
