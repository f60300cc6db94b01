/** Answers to all questions of `fundpress setup`, as flags. */

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
  aws: { ...cloud, account: '123456789012' },
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
