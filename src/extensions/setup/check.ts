/** `fundpress setup --check`: looks at the files that `setup` has written, and whether this machine runs its units. */

import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Session } from '../../core/cli/command.ts'
import { reasonOf, UsageError } from '../../core/cli/failure.ts'
import { loadSettings } from '../../core/cli/load-settings.ts'
import { cut } from '../../core/cli/safe-text.ts'
import { hasNetwork } from './units.ts'

interface CheckedStep {
  readonly what: string
  readonly state: 'ok' | 'to do' | 'failed'
  readonly says: string
}

/** Reports a step: `about('units', 'failed', 'no units')`. */
type About = (what: string, state: CheckedStep['state'], says: string) => void

/** @throws {UsageError} if the folder has no valid config file */
export async function checkSetup(session: Session, dest: string, tell: (step: CheckedStep) => void) {
  const about: About = (what, state, says) => {
    tell({ what, state, says })
  }
  const { settings, given } = loadFrom(session, dest)
  about('config', 'ok', 'fundpress.config.json is valid')
  if (settings.bucket.name?.startsWith('file:') === true) await checkUnits(dest, isTelling(given), about)
  else checkWorkflows(dest, about)
}

/** The settings of the folder. The environment wins, as in the nights. */
function loadFrom({ known, environment, settings: { jobs } }: Session, dest: string) {
  const configFile = join(dest, 'fundpress.config.json')
  const loaded = loadSettings(known, { flags: new Map(), environment, configFile, cores: jobs })
  if (loaded.settings.bucket.name === null)
    throw new UsageError(`config file ${configFile} names no bucket: write it with \`fundpress setup\``)
  return loaded
}

/** The setting of another extension: without that, the config file has none. */
const isTelling = ({ notify }: Readonly<Record<string, unknown>>) =>
  Array.isArray(notify) && notify.length > 0

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

async function checkUnits(dest: string, isTold: boolean, about: About): Promise<void> {
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
  checkNetwork(folder, units, isTold, about)
  const timers = units.filter((name) => /\.(timer|socket)$/.test(name))
  const enabled = await Promise.all(timers.map((timer) => ask('systemctl', ['is-enabled', '--quiet', timer])))
  const off = timers.filter((_, index) => enabled[index]?.stdout === undefined)
  // No unit reports a night that never comes because its timer is not enabled.
  if (off.length === 0) about('timers', 'ok', `${timers.join(', ')} are enabled`)
  else about('timers', 'to do', `not enabled: ${off.join(', ')}`)
}

/** A unit without network reaches no server of notices, not even on this machine. Most commands need it, too. */
function checkNetwork(folder: string, units: readonly string[], isTold: boolean, about: About): void {
  // The unit that answers readers sends no notices.
  const telling = units.filter((name) => name.endsWith('.service') && name !== 'fundpress-serve.service')
  const alone = telling.filter((name) => !hasNetwork(folder, name))
  const advice =
    'copy systemd/network.conf into systemd/fundpress-.service.d, and install it as SETUP.md says'
  if (!isTold) about('network', 'ok', 'the units need none: nobody is told')
  else if (alone.length === 0) about('network', 'ok', 'the units have it, for notify')
  else {
    const cutOff = `PrivateNetwork=yes cuts off ${alone.join(', ')}`
    about('network', 'failed', `${cutOff}, but notify needs it: ${advice}`)
  }
}

const oneLine = (text: string) => cut(text.replace(/[\p{Cc}\s]+/gu, ' ').trim(), 500)
