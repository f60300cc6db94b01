/** The roles of the workflows: what they allow, compared with the requests of nightly runs and of the guard. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { db, nightlyOf, press, useNights, withoutFund } from './nightly.ts'

interface Statement {
  readonly Sid?: string
  readonly Effect: string
  readonly Action: string | readonly string[]
  readonly Resource: string | readonly string[]
}

const policy = (name: string) => readFileSync(`templates/github/${name}.json`, 'utf8')
const statementsIn = (text: string) => (JSON.parse(text) as { Statement: readonly Statement[] }).Statement
const statements = statementsIn(
  policy('permissions').replaceAll('{{bucket}}', 'funds').replaceAll('{{database}}', 'in/funds.sqlite'),
)
const guard = statementsIn(policy('guard-permissions').replaceAll('{{bucket}}', 'funds'))
const listOf = (value: string | readonly string[]) => (typeof value === 'string' ? [value] : value)

/** What is asked for, as IAM names it. */
interface Asked {
  readonly action: string
  readonly resource: string
}
let asked: readonly Asked[]
let statusAsked: readonly Asked[]

useNights(2)
beforeAll(async () => {
  const nightly = async (day: number, flags = '', env = {}) => {
    const run = await nightlyOf(`2026-11-${day}`, `--since other ${flags}`.trim(), env)
    expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('fundpress:')])
  }
  for (const day of [11, 11, 12]) await nightly(day)
  // A publish that was killed leaves a slot that is not whole, and late writes to look for.
  editDatabase(db(), `UPDATE profile SET benchmark = 'x'`)
  await press.bare('build --db funds.sqlite --out killed --as-of 2026-11-13')
  expect(await press.publishUntilRequest('killed', 20, 'before')).toBe(true)
  await nightly(13)
  editDatabase(db(), withoutFund('(SELECT max(isin) FROM fund)'))
  for (const day of [14, 15]) await nightly(day, '--force --reason test')
  // Both write and remove staged.json.
  await nightly(16, '--stage --force --reason test')
  await nightly(17, '--stage --force --reason test')
  const staged = JSON.parse(press.bucket.body('staged.json').toString()) as { readonly snapshot: string }
  expect((await press.fundpress(`flip ${staged.snapshot}`)).code).toBe(0)
  // A folder of downloads that holds something else, as a publish that was stopped may leave it.
  const downloads = { FUNDPRESS_DOWNLOADS: 'true' }
  await nightly(18, '--force --reason test', downloads)
  const folder = press.bucket.downloads()
  expect((await press.fundpress('rollback')).code).toBe(0)
  press.bucket.put(`${folder}stray.csv`, 'x')
  await nightly(18, '--force --reason test --again', downloads)
  const later = press.server.log.length
  expect((await press.fundpress('status --max-age 1d')).code).toBe(1)
  statusAsked = askedIn(press.server.log.slice(later))
  asked = askedIn(press.server.log.slice(0, later))
})

const askedIn = (log: typeof press.server.log) =>
  log.flatMap(({ operation, key, body }): Asked[] => {
    const resource = `arn:aws:s3:::funds${key === '' ? '' : `/${key}`}`
    if (operation === 'ListObjectsV2') return [{ action: 's3:ListBucket', resource }]
    if (operation !== 'DeleteObjects') return [{ action: `s3:${operation}`, resource }]
    const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, deleted = '']) => deleted)
    return keys.map((deleted) => ({ action: 's3:DeleteObject', resource: `arn:aws:s3:::funds/${deleted}` }))
  })

/** Source: IAM's documentation: a star stands for any characters. */
const covers = (pattern: string, resource: string) =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(resource)

const allows = ({ Effect, Action, Resource }: Statement, { action, resource }: Asked) =>
  Effect === 'Allow' &&
  listOf(Action).includes(action) &&
  listOf(Resource).some((one) => covers(one, resource))

it('allows all requests of a first run, a second attempt, a change, deletes and after a killed publish', () => {
  expect(asked.length).toBeGreaterThan(500)
  expect(asked.filter((one) => !statements.some((statement) => allows(statement, one)))).toEqual([])
})

/** Each action with each resource that no request needs. */
const unusedIn = (some: readonly Statement[], requests: readonly Asked[]) =>
  some
    .flatMap((statement) =>
      listOf(statement.Action).flatMap((Action) =>
        listOf(statement.Resource).map((Resource) => ({ ...statement, Action, Resource })),
      ),
    )
    .filter((statement) => !requests.some((one) => allows(statement, one)))

it('allows nothing that no run requests', () => {
  expect(
    unusedIn(
      statements.filter(({ Sid }) => Sid !== 'Database'),
      asked,
    ),
  ).toEqual([])
  const database = statements.find(({ Sid }) => Sid === 'Database')
  expect(database).toMatchObject({ Action: 's3:GetObject', Resource: 'arn:aws:s3:::in/funds.sqlite' })
})

it('needs each of its actions', () => {
  for (const [index] of statements.slice(0, 3).entries()) {
    const others = statements.filter((_, other) => other !== index)
    expect(asked.some((one) => !others.some((statement) => allows(statement, one)))).toBe(true)
  }
})

it('allows the guard what `status --max-age` requests, and nothing else', () => {
  expect(statusAsked.map(({ action }) => action)).toEqual(statusAsked.map(() => 's3:GetObject'))
  expect(statusAsked.filter((one) => !guard.some((statement) => allows(statement, one)))).toEqual([])
  expect(unusedIn(guard, [...statusAsked, missing])).toEqual([])
})

/** Without the right to list, S3 denies the get of a missing object, as `staged.json` is in most nights. */
const missing = { action: 's3:ListBucket', resource: 'arn:aws:s3:::funds' }
