/** Answers to all questions of `fundpress setup`, as flags, and the files that it has made of them. */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const commit = '0123456789abcdef0123456789abcdef01234567'

export const company = {
  company: 'Beispiel Invest GmbH',
  'base-url': 'https://api.example.com',
  imprint: 'https://example.com/imprint',
  privacy: 'https://example.com/privacy',
  contact: 'data@example.com',
  package: './fundpress.tgz',
}
const cloud = {
  ...company,
  bucket: 'fund-data',
  repository: 'acme/funds',
  database: 's3://fund-in/funds.sqlite',
  action: `owner/fundpress@1.2.3#${commit}`,
}
export const answers = {
  aws: cloud,
  cloudflare: { ...cloud, endpoint: 'https://abc.r2.cloudflarestorage.com' },
  server: company,
}
export type Target = keyof typeof answers
export const targets = Object.keys(answers) as Target[]

export const flagsOf = (given: Readonly<Record<string, string>>) =>
  Object.entries(given).flatMap(([name, value]) => [`--${name}`, value])

/** The words after `fundpress`. @param more answers, in place of those above too @param words more flags */
export const setupWords = (
  target: Target,
  dest: string,
  more: Readonly<Record<string, string>> = {},
  ...words: readonly string[]
) => ['setup', target, '--yes', ...flagsOf({ ...answers[target], ...more }), '--dest', dest, ...words]

/** Of a folder, all that are below it. */
export const filesOf = (dest: string) =>
  readdirSync(dest, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(dest, name)).isFile())
    .sort()
export const textsOf = (dest: string) =>
  Object.fromEntries(filesOf(dest).map((name) => [name, readFileSync(join(dest, name), 'utf8')]))
