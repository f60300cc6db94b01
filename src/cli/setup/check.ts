/** `fundpress setup --check`: tries the steps of the checklist that a machine can try. Publishes nothing. */

import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
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

interface CheckedStep {
  readonly what: string
  readonly state: 'ok' | 'to do' | 'failed'
  readonly says: string
}

/** Reports a step: `about('units', 'failed', 'no units')`. */
type About = (what: string, state: CheckedStep['state'], says: string) => void

/** @param database overrides the config file @throws {UsageError} if the folder has no valid config file */
export async function checkSetup(
  outer: Session,
  dest: string,
  database: string | undefined,
  tell: (step: CheckedStep) => void,
) {
  const about: About = (what, state, says) => {
    tell({ what, state, says })
  }
  const session = openFolder(outer, dest)
  const { settings } = session
  about('config', 'ok', 'fundpress.config.json is valid')
  checkCompany(settings, about)
  const isServer = settings.bucket.name?.startsWith('file:') === true
  if (isServer) await checkUnits(dest, settings, about)
  else checkWorkflows(dest, about)
  if (existsSync(join(dest, 'edge/template.json'))) await checkRoles(settings, about)
  if (isServer && isOfOther(settings.bucket.name ?? '')) {
    const advice = 'run this as that user, since files of root would stop its nights'
    about('user', 'failed', `the bucket belongs to another user: ${advice}`)
    return
  }
  const states = { ok: 'ok', warning: 'to do', problem: 'failed' } as const
  let isWell = true
  await diagnose(session, ({ what, level, says }) => {
    isWell &&= level !== 'problem'
    about(what, states[level], says)
  })
  await checkNight(session, database ?? settings.db, isWell, about)
  const { host, port } = settings.serve
  const here = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  for (const base of isServer ? [here, settings.baseUrl] : [settings.baseUrl])
    await checkEdge(session, base, about)
}

/** The session with the settings of the folder. The environment wins, as in the nights. */
function openFolder(outer: Session, dest: string): Session {
  const configFile = join(dest, 'fundpress.config.json')
  const { environment } = outer
  const settings = loadSettings({ flags: new Map(), environment, configFile, cores: outer.settings.jobs })
  if (settings.bucket.name === null)
    throw new UsageError(`config file ${configFile} names no bucket: write it with \`fundpress setup\``)
  return { ...outer, settings }
}

/** True if root would leave files in the folder of another user. Other users may not write there. */
function isOfOther(bucket: string): boolean {
  const found = statSync(new URL(bucket), { throwIfNoEntry: false })
  return process.getuid?.() === 0 && found !== undefined && found.uid !== 0
}

function checkCompany({ site }: Settings, about: About): void {
  const needed = ['name', 'imprint', 'privacy', 'contact'] as const
  const missing = needed.filter((each) => site[each] === null).map((each) => `site.${each}`)
  if (missing.length === 0) about('company', 'ok', 'named, with imprint, privacy notice and contact')
  else about('company', 'to do', `the config file has no ${missing.join(', ')}: pages cannot name it`)
}

/** The workflows that a repository has, by name. */
function workflowsIn(dest: string) {
  const place = join(dest, '.github/workflows')
  const names = existsSync(place) ? readdirSync(place).filter((name) => /\.ya?ml$/.test(name)) : []
  return names.sort().map((name) => ({ name, text: readFileSync(join(place, name), 'utf8') }))
}

/** Runs nights of a released fundpress by itself. Only one workflow may, as two would publish past each other. */
const publishesOnSchedule = (text: string): boolean =>
  /^ *schedule:/m.test(text) && /uses: \S+\/\.github\/actions\/fundpress@/.test(text)

function checkWorkflows(dest: string, about: About): void {
  const using = workflowsIn(dest).filter(({ text }) =>
    /uses: \S+\/\.github\/actions\/fundpress\S*@[0-9a-f]{40}\b/.test(text),
  )
  const nights = using.filter(({ text }) => publishesOnSchedule(text)).map(({ name }) => name)
  const missing =
    nights.length === 0
      ? 'workflow that publishes on a schedule'
      : using.some(({ name }) => name.startsWith('watch'))
        ? null
        : 'watch workflow'
  if (nights.length > 1) {
    const advice = 'only one may, so remove the schedule of all others'
    about('workflows', 'failed', `${nights.join(' and ')} publish on a schedule: ${advice}`)
  } else if (missing === null) about('workflows', 'ok', using.map(({ name }) => name).join(', '))
  else about('workflows', 'failed', `${dest} has no ${missing}: run \`fundpress setup\``)
}

/** @returns the output of a program; or `why` it failed, null if it does not exist */
async function ask(program: string, words: readonly string[]) {
  try {
    return { stdout: (await promisify(execFile)(program, words, { timeout: 60_000 })).stdout }
  } catch (error) {
    const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string }
    return { stderr, why: code === 'ENOENT' ? null : oneLine(stderr) || reasonOf(error) }
  }
}

async function checkRoles({ bucket }: Settings, about: About): Promise<void> {
  const stack = stackName(bucket.name ?? '')
  const region = ['--region', bucket.region ?? 'eu-central-1']
  const query = ['--stack-name', stack, '--query', 'Stacks[0].Outputs[].OutputKey', '--output', 'json']
  const asked = await ask('aws', ['cloudformation', 'describe-stacks', ...region, ...query])
  if (asked.stdout === undefined) {
    about('roles', 'to do', `not seen: ${asked.why ?? 'this machine has no `aws`'}`)
    return
  }
  const made = JSON.parse(asked.stdout) as readonly string[]
  const missing = ['PublisherRoleArn', 'WatchRoleArn'].filter((name) => !made.includes(name))
  const advice = 'deploy it again with the parameters of SETUP.md'
  if (missing.length > 0) about('roles', 'failed', `stack ${stack} has no ${missing.join(', ')}: ${advice}`)
  else if (made.includes('FlipRoleArn'))
    about('roles', 'ok', `stack ${stack} has made them, for nights with an approval (FUNDPRESS_APPROVAL)`)
  else about('roles', 'ok', `stack ${stack} has made them`)
}

async function checkUnits(dest: string, settings: Settings, about: About): Promise<void> {
  const folder = join(dest, 'systemd')
  const units = existsSync(folder)
    ? readdirSync(folder).filter((name) => /\.(service|socket|timer)$/.test(name))
    : []
  if (units.length === 0) {
    about('units', 'failed', `${folder} has no units: run \`fundpress setup server\``)
    return
  }
  // Other units read the failed@ unit.
  const files = units.filter((name) => !name.includes('@')).map((name) => join(folder, name))
  const { stdout, stderr, why } = await ask('systemd-analyze', ['verify', ...files])
  if (stdout !== undefined) about('units', 'ok', `systemd accepts ${units.join(', ')}`)
  else if (why === null) about('units', 'to do', 'this machine has no systemd-analyze to verify them')
  else if (
    stderr
      .trim()
      .split('\n')
      .every((line) => line.includes(' is not executable: No such file'))
  )
    about('units', 'to do', 'the program that they run is not there: install it')
  else about('units', 'failed', why)
  checkNetwork(folder, units, settings, about)
  const timers = units.filter((name) => /\.(timer|socket)$/.test(name))
  const enabled = await Promise.all(timers.map((timer) => ask('systemctl', ['is-enabled', '--quiet', timer])))
  const off = timers.filter((_, index) => enabled[index]?.stdout === undefined)
  // No unit reports a night that never comes because its timer is not enabled.
  if (off.length === 0) about('timers', 'ok', `${timers.join(', ')} are enabled`)
  else about('timers', 'to do', `not enabled: ${off.join(', ')}`)
}

/** A unit without network reaches no server of notices, heartbeat or metrics, not even on this machine. */
function checkNetwork(folder: string, units: readonly string[], settings: Settings, about: About): void {
  const { notify, heartbeat, metrics } = settings
  const needs = Object.entries({
    notify: notify.length > 0,
    'heartbeat.url': heartbeat.url !== null,
    'metrics.otlpUrl': metrics.otlpUrl !== null,
  }).flatMap(([name, isSet]) => (isSet ? [name] : []))
  // The unit that answers readers sends no notices.
  const telling = units.filter((name) => name.endsWith('.service') && name !== 'fundpress-serve.service')
  const alone = telling.filter((name) => !hasNetwork(folder, name))
  const advice =
    'copy systemd/network.conf into systemd/fundpress-.service.d, and install it as SETUP.md says'
  if (needs.length === 0) about('network', 'ok', 'the units need none: nobody is told')
  else if (alone.length === 0) about('network', 'ok', `the units have it, for ${needs.join(', ')}`)
  else {
    const cutOff = `PrivateNetwork=yes cuts off ${alone.join(', ')}`
    about('network', 'failed', `${cutOff}, but ${needs.join(', ')} needs it: ${advice}`)
  }
}

const oneLine = (text: string) => cut(text.replace(/[\p{Cc}\s]+/gu, ' ').trim(), 500)

/** The first night without its publish: check, build and plan. @param db null: the config file names none */
async function checkNight(outer: Session, db: string | null, isBucketWell: boolean, about: About) {
  if (db === null || !existsSync(db)) {
    const where = db === null ? 'the config file names none' : `${db} is not there`
    about('night', 'to do', `no database (${where}): fetch it, then give --database FILE`)
    return
  }
  const folder = await makeTemporaryFolder()
  // Below the folder, because a build works beside its own.
  const session = { ...outer, settings: { ...outer.settings, db, out: join(folder, 'out') } }
  const override = { allow: [], isForced: false, reason: null, who: '' }
  try {
    const built = await withLive(session, isBucketWell ? 'live' : null, async (live) => {
      const options = { ...(await buildOptions(session)), asOf: session.today, only: [], override, live }
      return buildSince(session, null, options, () => undefined)
    })
    const counts = `${formatCount(built.funds)} funds, ${formatCount(built.documents)} documents`
    about('build', 'ok', `${counts}, in a folder that is removed again`)
    checkLoad(db, session.settings, about)
    if (!isBucketWell) {
      about('plan', 'to do', 'the bucket comes first')
      return
    }
    const { preview, cost } = await planFolder(session, { override, lock: true })
    const { refusals, put, slot } = preview
    if (refusals.length > 0) about('plan', 'failed', refusals.join('; '))
    else about('plan', 'ok', `${formatCount(put)} objects to ${slot}, ${formatDollars(cost.publish)}`)
  } catch (error) {
    session.signal.throwIfAborted()
    about('night', 'failed', reasonOf(error))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function checkLoad(db: string, { requireComplete }: Settings, about: About): void {
  const at = completedAt(db)
  if (!requireComplete) about('load', 'to do', 'requireComplete is off: half a load would be published')
  else if (at !== null) about('load', 'ok', `marked as complete, ${at}`)
  else {
    const advice = 'your load has to end with `fundpress import --complete`'
    about('load', 'to do', `${db} is not marked as complete: ${advice}`)
  }
}

async function checkEdge(session: Session, base: string, about: About): Promise<void> {
  try {
    const { document } = await readPublishedStatus(base, session.signal)
    about('edge', 'ok', `${base} answers, as of ${document.as_of}`)
  } catch (error) {
    session.signal.throwIfAborted()
    about('edge', 'to do', reasonOf(error))
  }
}
