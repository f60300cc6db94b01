/** `fundpress edge`: writes all files that deploy the edge on a platform. */

import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defineCommand } from '../command.ts'
import { UsageError } from '../failure.ts'
import { bucketSettings, schemaOption } from '../options.ts'
import { cloudflare } from '../../../extensions/platforms/cloudflare/deploy.ts'
import { cloudfront } from '../../../extensions/platforms/cloudfront/deploy.ts'
import type { MakeDeployment } from '../../edge/deployment.ts'
import { path as pathSetting } from '../settings.ts'
import { nginx } from '../../../extensions/platforms/nginx/deploy.ts'
import { replaceFile } from '../../system/durable.ts'
import { placeToWrite } from '../../system/place.ts'
import { Argument } from '@commander-js/extra-typings'
import { privateFile } from '../../system/private.ts'

const platforms: Readonly<Record<string, MakeDeployment>> = { cloudfront, cloudflare, nginx }

const platformArgument = new Argument('<platform>', 'Where the edge runs').choices(Object.keys(platforms))
const parseChoice = platformArgument.parseArg
platformArgument.argParser((name: string, before: unknown) => {
  if (/^nginx-(files|folder|bucket)$/.test(name))
    throw new UsageError(
      `${name} is no more: \`fundpress edge nginx\` puts a stock nginx before \`fundpress serve\``,
    )
  return parseChoice?.(name, before)
})

export default defineCommand({
  description:
    'Writes what serves the API on a platform: code or configuration, and a README with the commands that deploy it. The config ' +
    'file says what a deployment needs to know. nginx: a stock nginx that caches what `fundpress serve` answers, and the units of that.',
  arguments: [platformArgument],
  settings: [
    ...(['out', 'docsUrl'] as const),
    ...bucketSettings,
    ...(['serve.host', 'serve.port', 'serve.trustedProxies', 'edge.hstsSeconds'] as const),
  ],
  options: [schemaOption('--dest <folder>', 'The folder for the files', pathSetting).makeOptionMandatory()],
  examples: [
    [
      'edge nginx --bucket file:///srv/fundpress --dest edge',
      'nginx before `serve`, with a bucket that is a folder',
    ],
    ['edge nginx --bucket fund-data --region eu-central-1 --dest edge', 'The same with a bucket'],
    ['edge cloudflare --bucket fund-data --dest edge', 'A Worker with an R2 bucket'],
    ['edge cloudfront --bucket fund-data --region eu-central-1 --dest edge', 'CloudFront, S3 and Lambda'],
  ],
  run: async ({ settings, hasFlag, isQuiet, stdout }, { dest = '' }, platform: string) => {
    const isFolder = platform === 'nginx' && hasFlag('out')
    if (isFolder && hasFlag('bucket.name'))
      throw new UsageError(
        '--out and --bucket exclude each other: `fundpress serve` answers from one of them',
      )
    placeToWrite(dest, 'folder')
    // A bucket in the config file must not overrule the folder that the command line asks for.
    const chosen = isFolder ? { ...settings, bucket: { ...settings.bucket, name: null } } : settings
    for (const { path, text, isSecret = false } of (await platforms[platform]?.(chosen)) ?? []) {
      const file = join(dest, path)
      await mkdir(dirname(file), { recursive: true })
      replaceFile(file, text, isSecret ? privateFile : undefined)
      if (!isQuiet) stdout.write(`${file}\n`)
    }
  },
})
