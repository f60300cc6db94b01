/** The roles of the stack of `fundpress edge cloudfront`: what they allow, compared with the requests of nights, flips and the watch. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { expectFailure, expectSuccess } from '../cli/outcome.ts'
import { filledIn, statementsIn, type Statement, type Template } from '../support/cloudformation.ts'
import { editDatabase } from '../support/database.ts'
import { makeTempFolder, mustRun } from '../support/product.ts'
import type { DenyRule } from '../support/s3/settings.ts'
import { db, nightlyOf, press, useNights, withoutFund } from '../bucket/nightly/nightly.ts'

/** What is asked for, as IAM names it. */
interface Asked {
  readonly action: string
  readonly resource: string
}
interface Role {
  readonly ManagedPolicyArns: readonly string[]
  readonly Policies?: unknown
}

const listOf = (value: unknown) => [value].flat() as readonly string[]
let template: Template
const stack = (Approval: 'yes' | 'no') =>
  filledIn(template, {
    BucketName: 'funds',
    GitHubRepository: 'owner/funds',
    Database: 'in/funds.sqlite',
    Approval,
  }).Resources
/** What a role may do to the bucket, or to another service: the statements of its policies about it. */
function rightsOf(name: string, approval: 'yes' | 'no' = 'yes', service = 's3'): readonly Statement[] {
  const resources = stack(approval)
  const { ManagedPolicyArns, Policies } = resources[name]?.Properties as unknown as Role
  const policies = [Policies, ...ManagedPolicyArns.map((policy) => resources[policy]?.Properties)]
  return statementsIn(policies).filter(({ Action }) =>
    listOf(Action).every((one) => one.startsWith(`${service}:`)),
  )
}

/** Source: IAM's documentation: a star stands for any characters. */
const asPattern = (resource: string) => resource.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
const covers = (pattern: string, resource: string) => new RegExp(`^${asPattern(pattern)}$`).test(resource)
const allows = ({ Effect, Action, Resource }: Statement, { action, resource }: Asked) =>
  Effect === 'Allow' &&
  listOf(Action).includes(action) &&
  listOf(Resource).some((one) => covers(one, resource))

/** The server refuses what these statements do not allow, as S3 would. All of our roles may list. */
const denying = (statements: readonly Statement[]): readonly DenyRule[] =>
  ['GetObject', 'PutObject', 'DeleteObject'].map((operation) => {
    const allowed = statements.filter(({ Action }) => listOf(Action).includes(`s3:${operation}`))
    const keys = allowed.flatMap(({ Resource }) =>
      listOf(Resource).map((one) => asPattern(one.replace('arn:aws:s3:::funds/', ''))),
    )
    return { operation: new RegExp(`^${operation}$`), key: new RegExp(`^(?!(?:${keys.join('|')})$)`) }
  })
const as = (...role: Parameters<typeof rightsOf>) => {
  press.server.settings.deny = denying(rightsOf(...role))
}

const askedIn = (log: typeof press.server.log) =>
  log.flatMap(({ operation, key, body }): Asked[] => {
    const resource = `arn:aws:s3:::funds${key === '' ? '' : `/${key}`}`
    if (operation === 'ListObjectsV2') return [{ action: 's3:ListBucket', resource }]
    if (operation !== 'DeleteObjects') return [{ action: `s3:${operation}`, resource }]
    const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, deleted = '']) => deleted)
    return keys.map((deleted) => ({ action: 's3:DeleteObject', resource: `arn:aws:s3:::funds/${deleted}` }))
  })
/** Of nights without an approval, and of the parts of those with one. */
const asked: Record<'publish' | 'stage' | 'flip' | 'look', Asked[]> = {
  publish: [],
  stage: [],
  flip: [],
  look: [],
}
async function asking<T>(kind: keyof typeof asked, work: () => Promise<T>): Promise<T> {
  const begun = press.server.log.length
  const done = await work()
  asked[kind].push(...askedIn(press.server.log.slice(begun)))
  return done
}
const nightly = async (day: number, flags = '', env = {}) => {
  const run = await nightlyOf(`2026-11-${day}`, `--since other ${flags}`.trim(), env)
  expect({ code: run.code, stderr: run.stderr }).toEqual({
    code: 0,
    stderr: expect.not.stringContaining('fundpress:'),
  })
}
const stagedId = () =>
  (JSON.parse(press.bucket.body('staged.json').toString()) as { readonly snapshot: string }).snapshot
const downloads = { FUNDPRESS_DOWNLOADS: 'true' }

useNights(2)
const folder = makeTempFolder()
beforeAll(async () => {
  const flags = ['--bucket', 'funds', '--region', 'us-east-1', '--dest', folder.path, '--quiet']
  await mustRun(['edge', 'cloudfront', ...flags])
  template = JSON.parse(readFileSync(folder.file('template.json'), 'utf8')) as Template
  return folder.remove
})

const denied = { code: 1, stderr: expect.stringMatching(/access denied.* s3:PutObject/) as string }

/** A publish that is killed leaves a slot that is not whole, and late writes to look for. */
async function killPublish(out: string, day: number): Promise<void> {
  editDatabase(db(), `UPDATE profile SET benchmark = '${out}'`)
  await expectSuccess(press.bare(`build --db funds.sqlite --out ${out} --as-of 2026-11-${day}`))
  expect(await press.publishUntilRequest(out, 20, 'before')).toBe(true)
}

it('the role that publishes may do all that nights do: the first one, changes, deletes, after a kill, a rollback', async () => {
  as('PublisherRole', 'no')
  await asking('publish', async () => {
    for (const day of [11, 11, 12]) await nightly(day)
    await killPublish('killed', 13)
    await nightly(13)
    editDatabase(db(), withoutFund('(SELECT max(isin) FROM fund)'))
    for (const day of [14, 15]) await nightly(day, '--force --reason test')
    await nightly(16, '--stage --force --reason test')
    await expectSuccess(press.fundpress(`flip ${stagedId()}`))
    await nightly(18, '--force --reason test', downloads)
    await expectSuccess(press.fundpress('rollback'))
    await nightly(19, '--force --reason test', downloads)
    await nightly(20, '--force --reason test', { FUNDPRESS_BUCKET_SLOTS: '3' })
  })
  expect(press.bucket.live()?.slot).toBe('slot-3')
  expect(asked.publish.length).toBeGreaterThan(500)
})

it('with an approval, the role that stages cannot make anything live, and the one that flips cannot change what is staged', async () => {
  as('PublisherRole')
  await asking('stage', () => nightly(11, '--stage', downloads))
  const first = stagedId()
  const before = press.bucket.body('staged.json')
  await expectFailure(press.fundpress(`flip ${first}`), /live\.json: access denied.* s3:PutObject/s)
  await expectFailure(press.fundpress('publish --out out'), /live\.json: access denied.* s3:PutObject/s)
  expect(press.bucket.live()).toBeUndefined()
  expect(press.bucket.body('staged.json')).toEqual(before)
  as('FlipRole')
  await asking('flip', () => expectSuccess(press.fundpress(`flip ${first}`)))
  expect(press.bucket.live()?.snapshot).toBe(first)
  // Nor may it publish without a stage.
  const slots = () => [...press.bucket.keys('blue/'), ...press.bucket.keys('green/')]
  const held = slots()
  editDatabase(db(), `UPDATE profile SET benchmark = 'z'`)
  expect(await nightlyOf('2026-11-12')).toMatchObject(denied)
  expect(slots()).toEqual(held)
  expect(press.bucket.live()?.snapshot).toBe(first)
  // What is live is damaged: a stage mends the other slot, and the flip of the same snapshot makes that live.
  press.bucket.remove(press.bucket.keys('blue/api/')[0] ?? '')
  editDatabase(db(), `UPDATE profile SET benchmark = 'z'`)
  as('PublisherRole')
  await asking('stage', () => nightly(11, '--stage', downloads))
  as('FlipRole')
  await asking('flip', () => expectSuccess(press.fundpress(`flip ${stagedId()}`)))
  expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
  // After a kill the next stage does not write live.json either; the flip after it does.
  as('PublisherRole')
  await asking('stage', async () => {
    await killPublish('killed', 12)
    await nightly(12, '--stage', downloads)
    // A folder of downloads that holds something else, as a stage that was stopped may leave it.
    press.bucket.put(`downloads/${stagedId()}/stray.csv`, 'x')
    press.bucket.remove('staged.json')
    await nightly(12, '--stage --again', downloads)
    // It takes the place of what is staged.
    editDatabase(db(), `DELETE FROM performance_year`)
    await nightly(14, '--stage --force --reason test', downloads)
  })
  const second = stagedId()
  as('FlipRole')
  // The files of a day without an approval have expired by then.
  const env = { FUNDPRESS_DOWNLOADS_KEEP_DAYS: '1' }
  await asking('flip', () => expectSuccess(press.fundpress(`flip ${second}`, env)))
  expect(press.bucket.faultsOf(press.bucket.live()?.slot)).toEqual([])
  await asking('flip', () => expectSuccess(press.fundpress('rollback')))
})

it('the watch may look at everything, and change nothing', async () => {
  await nightly(11, '', downloads)
  await nightly(12, '--stage', downloads)
  as('WatchRole')
  await asking('look', async () => {
    expect((await press.fundpress('status --max-age 1d --max-wait 6h')).code).toBe(1)
    await expectSuccess(press.fundpress('verify --deep'))
    await expectSuccess(press.fundpress('verify --deep --staged'))
  })
  const before = press.bucket.keys('')
  await expectFailure(press.fundpress('rollback'), /access denied/)
  expect(await nightlyOf('2026-11-13')).toMatchObject(denied)
  expect(press.bucket.keys('')).toEqual(before)
})

it('only a role that may write live.json may write what CloudFront shows', () => {
  const writes = (...[name, approval]: Parameters<typeof rightsOf>) =>
    rightsOf(name, approval, 'cloudfront-keyvaluestore')
      .flatMap(({ Action }) => listOf(Action))
      .filter((action) => /:(Put|Delete|Update)/.test(action))
  expect(writes('PublisherRole', 'no')).toHaveLength(2)
  expect(writes('FlipRole')).toHaveLength(2)
  expect([...writes('PublisherRole'), ...writes('WatchRole')]).toEqual([])
})

/** Each action with each resource that no request needs. */
const unusedIn = (some: readonly Statement[], requests: readonly Asked[]) =>
  some
    .flatMap(({ Action, Resource, ...statement }) =>
      listOf(Action).flatMap((one) =>
        listOf(Resource).map((other) => ({ ...statement, Action: one, Resource: other })),
      ),
    )
    // What a role may do in one slot, it may do in each.
    .filter(
      ({ Resource, ...statement }) =>
        !requests.some((one) =>
          allows({ ...statement, Resource: Resource.replace('slot-*/', 'green/') }, one),
        ),
    )
    .map(({ Action, Resource }) => `${Action} ${Resource.replace('arn:aws:s3:::', '')}`)

it('no role may do what none of its runs does, but for what the doctor asks', () => {
  const { publish, stage, flip, look } = asked
  const doctor = ['s3:GetBucketVersioning funds', 's3:GetLifecycleConfiguration funds']
  const ofPublisher = ['s3:GetObject in/funds.sqlite', ...doctor]
  expect(unusedIn(rightsOf('PublisherRole', 'no'), [...publish, ...stage, ...flip])).toEqual(ofPublisher)
  expect(unusedIn(rightsOf('PublisherRole'), [...publish, ...stage])).toEqual(ofPublisher)
  expect(unusedIn(rightsOf('FlipRole'), flip)).toEqual(doctor)
  // Without the right to list, S3 denies the get of a missing object.
  const missing = { action: 's3:ListBucket', resource: 'arn:aws:s3:::funds' }
  expect(unusedIn(rightsOf('WatchRole'), [...look, missing])).toEqual(doctor)
})

it('SECURITY.md says of each key who may write it', () => {
  const text = readFileSync('.github/SECURITY.md', 'utf8')
  const rows = [...text.matchAll(/^\| (`live\.json`.*|`[a-z].*[*n]`) \|(.*)\|(.*)\|(.*)\|(.*)\|$/gm)]
  const said = (column: number) =>
    rows.flatMap(([, keys = '', ...cells]) =>
      [...keys.matchAll(/`(.*?)`/g)].flatMap(([, key = '']) =>
        [...(cells[column] ?? '').matchAll(/put|delete/g)].map(([verb]) => `${verb} ${key}`),
      ),
    )
  const has = (...role: Parameters<typeof rightsOf>) =>
    rightsOf(...role).flatMap(({ Action, Resource }) =>
      listOf(Action).flatMap((action) => {
        const [, verb = ''] = /^s3:(Put|Delete)Object$/.exec(action) ?? []
        const keys = listOf(Resource).map((one) => one.replace('arn:aws:s3:::funds/', ''))
        return verb === '' ? [] : keys.map((key) => `${verb.toLowerCase()} ${key}`)
      }),
    )
  expect(rows).toHaveLength(6)
  for (const [column, rights] of [
    has('PublisherRole', 'no'),
    has('PublisherRole'),
    has('FlipRole'),
    has('WatchRole'),
  ].entries())
    expect({ column, rights: said(column).sort() }).toEqual({ column, rights: [...new Set(rights)].sort() })
})
