/** `fundpress setup --check`: the steps of the checklist that a machine can try, each with what it found. It publishes nothing. */

import { execFile } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { completedAt } from '../../data/import/complete.ts'
import { stackName } from '../../edge/cloudfront/deploy.ts'
import { readPublishedStatus } from '../../site/status/document.ts'
import { makeTemporaryFolder } from '../../system/temporary.ts'
import type { Session } from '../command.ts'
import { buildSince } from '../nightly/build-since.ts'
import { diagnose } from '../doctor.ts'
import { planFolder } from '../nightly/publish.ts'
import { reasonOf, UsageError } from '../failure.ts'
import { formatCount, formatDollars } from '../format.ts'
import { buildOptions } from '../from-settings.ts'
import { withLive } from '../live.ts'
import { loadSettings } from '../load-settings.ts'
import { cut } from '../safe-text.ts'
import type { Settings } from '../settings.ts'
import { hasNetwork } from './units.ts'
import { publishesOnSchedule } from './workflows.ts'

export interface CheckedStep {
  readonly what: string
  readonly state: 'ok' | 'to do' | 'failed'
  /** What was found and, unless all is well, what to do. */
  readonly says: string
}

type Tell = (step: CheckedStep) => void

/**
 * @param dest the folder that setup has written
 * @param database in place of that of the config file
 * @throws {UsageError} if the folder has no valid config file: nothing else can be checked then
 */
export async function checkSetup(outer: Session, dest: string, database: string | undefined, tell: Tell) {
  const session = openFolder(outer, dest)
  const { settings } = session
  tell({ what: 'config', state: 'ok', says: 'fundpress.config.json is valid' })
  tell(aboutCompany(session))
  const isServer = settings.bucket.name?.startsWith('file:') === true
  if (isServer) await checkUnits(dest, settings, tell)
  else tell(aboutWorkflows(dest))
  // What the stack is made of.
  if (existsSync(join(dest, 'edge/template.json'))) await checkRoles(dest, settings, tell)
  if (isServer && isOfOther(settings.bucket.name ?? '')) {
    const says =
      'the bucket belongs to another user: run this as that user, since files of root would stop its nights'
    tell({ what: 'user', state: 'failed', says })
    return
  }
  const states = { ok: 'ok', warning: 'to do', problem: 'failed' } as const
  let isWell = true
  await diagnose(session, ({ what, level, says }) => {
    isWell &&= level !== 'problem'
    tell({ what, state: states[level], says })
  })
  await checkNight(session, database ?? settings.db, isWell, tell)
  const { host, port } = settings.serve
  const here = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  for (const base of isServer ? [here, settings.baseUrl] : [settings.baseUrl])
    await checkEdge(session, base, tell)
}

/** The session with the settings of the folder: the environment still wins, as in the nights. */
function openFolder(outer: Session, dest: string): Session {
  const configFile = join(dest, 'fundpress.config.json')
  const { environment } = outer
  const settings = loadSettings({ flags: new Map(), environment, configFile, cores: outer.settings.jobs })
  if (settings.bucket.name === null)
    throw new UsageError(`config file ${configFile} names no bucket: write it with \`fundpress setup\``)
  return { ...outer, settings }
}

/** Whether root would leave files in the folder of somebody else. All others may not write there. */
function isOfOther(bucket: string): boolean {
  const found = statSync(new URL(bucket), { throwIfNoEntry: false })
  return process.getuid?.() === 0 && found !== undefined && found.uid !== 0
}

function aboutCompany({ settings: { site } }: Session): CheckedStep {
  const what = 'company'
  const { name, imprint, privacy, contact } = site
  const needed = Object.entries({ name, imprint, privacy, contact })
  const missing = needed.flatMap(([each, value]) => (value === null ? [`site.${each}`] : []))
  if (missing.length === 0)
    return { what, state: 'ok', says: 'named, with imprint, privacy notice and contact' }
  return { what, state: 'to do', says: `the config file has no ${missing.join(', ')}: pages cannot name it` }
}

/** The workflows of the folder that use a released fundpress. */
function workflowsIn(dest: string) {
  const folder = join(dest, '.github/workflows')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)) : []
  const all = names.sort().map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
  return all.filter(({ text }) => /uses: \S+\/\.github\/actions\/fundpress\S*@[0-9a-f]{40}\b/.test(text))
}

function aboutWorkflows(dest: string): CheckedStep {
  const what = 'workflows'
  const using = workflowsIn(dest)
  const nights = using.filter(({ text }) => publishesOnSchedule(text)).map(({ name }) => name)
  if (nights.length > 1) {
    const says = `${nights.join(' and ')} publish on a schedule: only one may, so remove the schedule of all others`
    return { what, state: 'failed', says }
  }
  if (nights.length === 1 && using.some(({ name }) => name.startsWith('watch')))
    return { what, state: 'ok', says: using.map(({ name }) => name).join(', ') }
  const missing = nights.length === 0 ? 'workflow that publishes on a schedule' : 'watch workflow'
  return { what, state: 'failed', says: `${dest} has no ${missing}: run \`fundpress setup\`` }
}

/** Whether the stack has made the roles that the workflows need, asked with `aws` as it is signed in. */
async function checkRoles(dest: string, { bucket }: Settings, tell: Tell): Promise<void> {
  const what = 'roles'
  const stack = stackName(bucket.name ?? '')
  const isApproved = workflowsIn(dest).some(
    ({ name, text }) => name === 'nightly-approved.yml' && publishesOnSchedule(text),
  )
  const region = ['--region', bucket.region ?? 'eu-central-1']
  const query = ['--stack-name', stack, '--query', 'Stacks[0].Outputs[].OutputKey', '--output', 'json']
  try {
    const words = ['cloudformation', 'describe-stacks', ...region, ...query]
    const { stdout } = await promisify(execFile)('aws', words, { timeout: 20_000 })
    const made = JSON.parse(stdout) as readonly string[]
    const needed = ['PublisherRoleArn', 'WatchRoleArn', ...(isApproved ? ['FlipRoleArn'] : [])]
    const missing = needed.filter((name) => !made.includes(name))
    const advice = 'deploy it again with the parameters of SETUP.md'
    if (missing.length > 0)
      tell({ what, state: 'failed', says: `stack ${stack} has no ${missing.join(', ')}: ${advice}` })
    else if (!isApproved && made.includes('FlipRoleArn'))
      tell({ what, state: 'failed', says: `stack ${stack} lets nights only be staged: ${advice}` })
    else tell({ what, state: 'ok', says: `stack ${stack} has made them` })
  } catch (error) {
    const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string }
    const why = code === 'ENOENT' ? 'this machine has no `aws`' : oneLine(stderr) || reasonOf(error)
    tell({ what, state: 'to do', says: `not seen: ${why}` })
  }
}

async function checkUnits(dest: string, settings: Settings, tell: Tell): Promise<void> {
  const what = 'units'
  const folder = join(dest, 'systemd')
  const units = existsSync(folder)
    ? readdirSync(folder).filter((name) => /\.(service|socket|timer)$/.test(name))
    : []
  if (units.length === 0) {
    tell({ what, state: 'failed', says: `${folder} has no units: run \`fundpress setup server\`` })
    return
  }
  try {
    // The failed@ unit is read by those that name it.
    const files = units.filter((name) => !name.includes('@')).map((name) => join(folder, name))
    await promisify(execFile)('systemd-analyze', ['verify', ...files], { timeout: 60_000 })
    tell({ what, state: 'ok', says: `systemd accepts ${units.join(', ')}` })
  } catch (error) {
    const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string }
    const lines = stderr.trim().split('\n')
    if (code === 'ENOENT')
      tell({ what, state: 'to do', says: 'this machine has no systemd-analyze to verify them' })
    else if (lines.every((line) => line.includes(' is not executable: No such file')))
      tell({ what, state: 'to do', says: 'the program that they run is not there: install it' })
    else tell({ what, state: 'failed', says: oneLine(stderr) || reasonOf(error) })
  }
  tell(aboutNetwork(folder, units, settings))
  tell(await aboutTimers(units.filter((name) => /\.(timer|socket)$/.test(name))))
}

/** Servers that are told are on other machines, or behind the loopback device: a unit without network reaches neither. */
function aboutNetwork(folder: string, units: readonly string[], settings: Settings): CheckedStep {
  const what = 'network'
  const { notify, heartbeat, metrics } = settings
  const needs = Object.entries({
    notify: notify.length > 0,
    'heartbeat.url': heartbeat.url !== null,
    'metrics.otlpUrl': metrics.otlpUrl !== null,
  }).flatMap(([name, isSet]) => (isSet ? [name] : []))
  // Nobody is told by the unit that answers readers.
  const telling = units.filter((name) => name.endsWith('.service') && name !== 'fundpress-serve.service')
  const alone = telling.filter((name) => !hasNetwork(folder, name))
  if (needs.length === 0) return { what, state: 'ok', says: 'the units need none: nobody is told' }
  if (alone.length === 0) return { what, state: 'ok', says: `the units have it, for ${needs.join(', ')}` }
  const advice =
    'copy systemd/network.conf into systemd/fundpress-.service.d, and install it as SETUP.md says'
  const says = `PrivateNetwork=yes cuts off ${alone.join(', ')}, but ${needs.join(', ')} needs it: ${advice}`
  return { what, state: 'failed', says }
}

/** A timer that nobody has enabled is a night that never comes, and no unit tells of it. */
async function aboutTimers(timers: readonly string[]): Promise<CheckedStep> {
  const what = 'timers'
  const isEnabled = (timer: string) =>
    promisify(execFile)('systemctl', ['is-enabled', '--quiet', timer], { timeout: 60_000 }).then(
      () => true,
      () => false,
    )
  const enabled = await Promise.all(timers.map(isEnabled))
  const off = timers.filter((_, index) => enabled[index] === false)
  if (off.length === 0) return { what, state: 'ok', says: `${timers.join(', ')} are enabled` }
  return { what, state: 'to do', says: `not enabled: ${off.join(', ')}` }
}

const oneLine = (text: string) => cut(text.replace(/[\p{Cc}\s]+/gu, ' ').trim(), 500)

/** The first night without its publish: check, build and plan. @param db null: nobody knows where it is */
async function checkNight(
  outer: Session,
  db: string | null,
  isBucketWell: boolean,
  tell: Tell,
): Promise<void> {
  const what = 'night'
  if (db === null || !existsSync(db)) {
    const where = db === null ? 'the config file names none' : `${db} is not there`
    tell({ what, state: 'to do', says: `no database (${where}): fetch it, then give --database FILE` })
    return
  }
  const folder = await makeTemporaryFolder()
  // A build works beside its folder: all of it is below this one.
  const session = { ...outer, settings: { ...outer.settings, db, out: join(folder, 'out') } }
  const override = { allow: [], isForced: false, reason: null, who: '' }
  try {
    const built = await withLive(session, isBucketWell ? 'live' : null, async (live) => {
      const options = { ...(await buildOptions(session)), asOf: session.today, only: [], override, live }
      return buildSince(session, null, options, () => undefined)
    })
    const counts = `${formatCount(built.funds)} funds, ${formatCount(built.documents)} documents`
    tell({ what: 'build', state: 'ok', says: `${counts}, in a folder that is removed again` })
    tell(aboutLoad(db, session.settings))
    if (!isBucketWell) {
      tell({ what: 'plan', state: 'to do', says: 'the bucket comes first' })
      return
    }
    const { preview, cost } = await planFolder(session, { override, lock: true })
    const { refusals, put, slot } = preview
    if (refusals.length > 0) tell({ what: 'plan', state: 'failed', says: refusals.join('; ') })
    else
      tell({
        what: 'plan',
        state: 'ok',
        says: `${formatCount(put)} objects to ${slot}, ${formatDollars(cost.publish)}`,
      })
  } catch (error) {
    session.signal.throwIfAborted()
    tell({ what, state: 'failed', says: reasonOf(error) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether a night would find a load that somebody has marked as complete. */
function aboutLoad(db: string, { requireComplete }: Settings): CheckedStep {
  const what = 'load'
  if (!requireComplete)
    return { what, state: 'to do', says: 'requireComplete is off: half a load would be published' }
  const at = completedAt(db)
  if (at !== null) return { what, state: 'ok', says: `marked as complete, ${at}` }
  const says = `${db} is not marked as complete: your load has to end with \`fundpress import --complete\``
  return { what, state: 'to do', says }
}

async function checkEdge(session: Session, base: string, tell: Tell): Promise<void> {
  const what = 'edge'
  try {
    const { document } = await readPublishedStatus(base, session.signal)
    tell({ what, state: 'ok', says: `${base} answers, as of ${document.as_of}` })
  } catch (error) {
    session.signal.throwIfAborted()
    tell({ what, state: 'to do', says: reasonOf(error) })
  }
}
