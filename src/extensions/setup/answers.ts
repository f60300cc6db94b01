/**
 * Questions of `fundpress setup`, with the form of each answer. Answers become part of shell commands, policies and units, so
 * all but free texts have a form without special characters.
 */

import { createInterface } from 'node:readline/promises'
import type { z } from 'zod'
import type { Dialog } from '../../core/cli/command.ts'
import { UsageError } from '../../core/cli/failure.ts'
import { expectedBy, parseText } from '../../core/cli/load-settings.ts'
import { shownValue } from '../../core/cli/safe-text.ts'
import { settingText as text, whole } from '../../core/cli/setting-fields.ts'
import { findSetting, type SettingKey } from '../../core/cli/settings.ts'
import { parseRelease, type Release } from '../../core/cli/release.ts'

export const targets = ['aws', 'cloudflare', 'server'] as const
export type Target = (typeof targets)[number]

interface Question {
  readonly value: string
  readonly asks: string
  /** Targets that ask; absent: all. */
  readonly of?: readonly Target[]
  readonly schema: (target: Target) => z.ZodType
  /** A question with a fallback is not asked: only a flag answers it. */
  readonly isRare?: true
  /** '' is no answer. Undefined, or no such function: an answer is needed. */
  readonly fallback?: (known: Known, release: Release | null) => string | undefined
}

type Known = Readonly<Partial<Record<string, string>>>

/** '' where there is no answer, or the target does not ask. */
export type Answers = { readonly target: Target } & { readonly [Name in AnswerName]: string }

const setting = (key: SettingKey) => () => findSetting(key).schema
const form = (expects: string, pattern: RegExp) => () => text(expects, pattern)
const none = () => ''

/** An absolute path without a special character of a shell. */
const plainPath = /^(\/(?!\.\.?(\/|$))[\w.-]+)+$/
const plainPathSays = 'an absolute path of letters, digits, dots, hyphens and underscores'
const packageForms =
  'an https address or a path with a slash, ending in .tgz, or a scoped name with its version (@fundpress/cli@1.0.0)'
const inCloud = ['aws', 'cloudflare'] as const

const ofServerOrCloud =
  (server: readonly [expects: string, pattern: RegExp], cloud: readonly [expects: string, pattern: RegExp]) =>
  (target: Target) =>
    text(...(target === 'server' ? server : cloud))
const onServer =
  (path: string) =>
  ({ target, root = '' }: Known) =>
    target === 'server' ? path.replace('ROOT', root) : undefined

const questions = {
  company: { value: 'name', asks: 'Name of the company', schema: setting('site.name') },
  baseUrl: {
    value: 'url',
    asks: 'Address of the API, such as https://api.example.com',
    schema: setting('baseUrl'),
  },
  imprint: { value: 'url', asks: 'Address of the imprint', schema: setting('site.imprint') },
  privacy: { value: 'url', asks: 'Address of the privacy notice', schema: setting('site.privacy') },
  contact: {
    value: 'mail',
    asks: 'Mail address for questions about the data',
    schema: setting('site.contact'),
  },
  licenceName: {
    value: 'name',
    asks: 'Licence of the data, such as CC-BY-4.0',
    schema: setting('licence.name'),
    fallback: none,
  },
  licenceUrl: {
    value: 'url',
    asks: "Address of the licence's text",
    schema: setting('licence.url'),
    fallback: none,
  },
  root: {
    value: 'folder',
    isRare: true,
    asks: 'Folder that all paths of the server begin with',
    of: ['server'],
    schema: form(plainPathSays, new RegExp(`^$|${plainPath.source}`)),
    fallback: none,
  },
  bucket: {
    value: 'name',
    asks: 'Bucket; for server a folder, such as file:///srv/fundpress',
    schema: ofServerOrCloud(
      [
        'a folder of this machine, such as file:///srv/fundpress',
        new RegExp(`^file://${plainPath.source.slice(1)}`),
      ],
      [
        'a bucket name (3 to 63 lower-case letters, digits, dots and hyphens)',
        /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      ],
    ),
    fallback: onServer('file://ROOT/srv/fundpress'),
  },
  region: {
    value: 'name',
    asks: 'Region of the bucket',
    of: inCloud,
    schema: setting('bucket.region'),
    fallback: ({ target }) => (target === 'aws' ? 'eu-central-1' : 'auto'),
  },
  endpoint: {
    value: 'url',
    asks: 'S3 address of R2, such as https://<account>.r2.cloudflarestorage.com',
    of: ['cloudflare'],
    schema: setting('bucket.endpoint'),
  },
  prefix: {
    value: 'folder',
    asks: 'Folder in the bucket that holds everything',
    of: inCloud,
    schema: form(
      'folders of letters, digits, dots, hyphens and underscores',
      /^(?!\.\.?(\/|$))[\w.-]+(\/(?!\.\.?(\/|$))[\w.-]+)*$/,
    ),
    fallback: none,
  },
  repository: {
    value: 'owner/name',
    asks: 'Repository of the company on GitHub, as owner/name',
    of: inCloud,
    schema: form('owner/name', /^[A-Za-z0-9][A-Za-z0-9-]*\/[\w.-]+$/),
  },
  kmsKey: {
    value: 'arn',
    asks: 'ARN of the KMS key that encrypts the bucket',
    of: ['aws'],
    schema: form(
      'the ARN of a key, such as arn:aws:kms:eu-central-1:123456789012:key/<id>',
      /^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key\/[A-Za-z0-9-]+$/,
    ),
    fallback: none,
  },
  database: {
    value: 'place',
    asks: 'Fund database: s3://bucket/key, artifact:name or a path; for server a path',
    schema: ofServerOrCloud(
      [plainPathSays, plainPath],
      [
        's3://bucket/key, artifact:name, or a path in the repository',
        /^(s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/[\w.-]+(\/[\w.-]+)*|artifact:[\w.-]+|(?!\.\.?\/)[\w.][\w.-]*(\/(?!\.\.?(\/|$))[\w.-]+)*)$/,
      ],
    ),
    fallback: onServer('ROOT/var/lib/fundpress/funds.sqlite'),
  },
  at: {
    value: 'time',
    asks: 'Time of the first attempt of a night, in Europe/Berlin',
    // All attempts must be on one day, and the last one is more than four hours after the first.
    schema: form(
      'a time in Berlin from 00:00 to 19:29, such as 03:17',
      /^((0[0-9]|1[0-8]):[0-5][0-9]|19:[0-2][0-9])$/,
    ),
    fallback: () => '03:17',
  },
  user: {
    value: 'name',
    isRare: true,
    asks: 'User that runs the nights',
    of: ['server'],
    schema: form('the name of a user', /^[a-z_][a-z0-9_-]{0,30}$/),
    fallback: () => 'fundpress',
  },
  port: {
    value: 'number',
    asks: 'Port at which nginx finds `fundpress serve`, on this machine only',
    of: ['server'],
    schema: () => whole(1024, 65_534),
    fallback: () => '8080',
  },
  action: {
    value: 'release',
    isRare: true,
    asks:
      'Where the workflows get fundpress from, as owner/name@version#commit: the repository on GitHub with its source, the version ' +
      'in its package.json, and the commit (`git rev-parse HEAD`)',
    of: inCloud,
    schema: form(
      'owner/name@1.2.3#<40 hexadecimal digits of the commit>',
      /^[A-Za-z0-9][A-Za-z0-9-]*\/[\w.-]+@v?[0-9]+\.[0-9]+\.[0-9]+(-rc\.[0-9]+)?#[0-9a-f]{40}$/,
    ),
    fallback: (_, release) =>
      release === null ? undefined : `${release.repository}@${release.version}#${release.commit}`,
  },
  package: {
    value: 'file',
    isRare: true,
    asks: `Package to install (in a checkout \`npm pack\` makes one): ${packageForms}`,
    // Anybody may own a name without a scope in the registry.
    schema: form(
      packageForms,
      /^((https:\/\/[^\s/?#@]+\/[^\s?#]*|\.{0,2}\/[^\p{Cc}]*)\.tgz|@[a-z\d-]+\/[a-z\d][a-z\d.-]*@\d+\.\d+\.\d+(-rc\.\d+)?)$/u,
    ),
    // Only packages of the release workflow are on npm.
    fallback: ({ action = '' }, release) => {
      const chosen = parseRelease(action) ?? release
      if (release?.package === undefined || chosen?.repository !== release.repository) return undefined
      return `${release.package}@${chosen.version}`
    },
  },
} as const satisfies Readonly<Record<string, Question>>

export type AnswerName = keyof typeof questions
export const questionList = Object.entries(questions) as readonly (readonly [AnswerName, Question])[]

/** `--licence-name <name>` */
export const flagOf = (name: AnswerName): `--${string}` =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} <${questions[name].value}>`

interface Asking {
  readonly target: Target
  readonly given: Partial<Readonly<Record<AnswerName, string>>>
  readonly release: Release | null
  /** Null with --yes: defaults count. */
  readonly ask: Ask | null
}

/** @returns '' for no answer */
type Ask = (question: string) => Promise<string>

/** @throws {UsageError} for a wrong flag, and without `ask` for missing answers, naming all of them */
export async function collectAnswers({ target, given, release, ask }: Asking): Promise<Answers> {
  const known: Record<string, string> = { target }
  const missing: string[] = []
  for (const [name, question] of questionList) {
    const flag = given[name]
    const isAsked = question.of?.includes(target) ?? true
    if (flag !== undefined && !isAsked) throw new UsageError(`option '${flagOf(name)}' is not for ${target}`)
    const fallback = question.fallback?.(known, release)
    if (!isAsked) known[name] = ''
    else if (flag !== undefined) {
      const { value, refusal } = readAnswer(question, target, flag)
      if (refusal !== undefined) throw new UsageError(`option '${flagOf(name)}' is ${refusal}`)
      known[name] = value
    } else if (ask !== null && !(question.isRare === true && fallback !== undefined))
      known[name] = await askUntilValid(ask, question, target, fallback)
    else if (fallback === undefined) missing.push(flagOf(name))
    else known[name] = fallback
  }
  if (missing.length > 0) throw new UsageError(`these answers are missing: ${missing.join(', ')}`)
  const answers = known as Answers
  refuseContradictions(answers)
  return answers
}

function refuseContradictions(answers: Answers): void {
  const { target, baseUrl, licenceName, licenceUrl, kmsKey, region } = answers
  if (target !== 'server' && !baseUrl.startsWith('https:'))
    throw new UsageError(`--base-url has to begin with https: on ${target}, as its edge answers nothing else`)
  if (licenceName === '' && licenceUrl !== '')
    throw new UsageError('--licence-url needs --licence-name: the downloads state both')
  if (kmsKey !== '' && kmsKey.split(':')[3] !== region)
    throw new UsageError(`--kms-key is not of region ${region}: a bucket needs a key of its own region`)
}

async function askUntilValid(ask: Ask, question: Question, target: Target, fallback: string | undefined) {
  const hint = fallback === undefined ? '' : fallback === '' ? ' (empty: none)' : ` [${fallback}]`
  let complaint = ''
  for (;;) {
    const answer = (await ask(`${complaint}${question.asks}${hint}: `)).trim()
    if (answer === '' && fallback !== undefined) return fallback
    const { value, refusal } = readAnswer(question, target, answer)
    if (refusal === undefined) return value
    complaint = `This is ${refusal}.\n`
  }
}

function readAnswer({ schema }: Question, target: Target, answer: string) {
  const { data, error } = parseText(schema(target), answer)
  if (error === undefined) return { value: String(data) }
  return { value: '', refusal: `${shownValue(answer)}: it must be ${expectedBy(error)}` }
}

/** @throws {UsageError} from `ask` if the input ends */
export function openQuestions(dialog: Dialog) {
  const lines = createInterface({ ...dialog })
  const ended = new AbortController()
  lines.once('close', () => ended.abort())
  const ask: Ask = (question) =>
    lines.question(question, { signal: ended.signal }).catch((cause: unknown) => {
      if (!ended.signal.aborted) throw cause
      throw new UsageError('the answers ended before the last question: nothing was written')
    })
  return { ask, close: () => lines.close() }
}
