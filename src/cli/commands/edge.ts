/** `fundpress edge`: writes everything that deploys the edge on a platform. */

import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defineCommand } from '../command.ts'
import { bucketSettings, schemaOption } from '../options.ts'
import { cloudflare } from '../../edge/cloudflare/deploy.ts'
import { cloudfront } from '../../edge/cloudfront/deploy.ts'
import type { MakeDeployment } from '../../edge/deployment.ts'
import { path as pathSetting } from '../settings.ts'
import { nginx } from '../../edge/nginx/deploy.ts'
import { replaceFile } from '../../system/durable.ts'
import { Argument } from 'commander'

const platforms: Readonly<Record<string, MakeDeployment>> = { cloudfront, cloudflare, nginx }

export default defineCommand({
  description:
    'Writes the code of the edge as one file, its configuration, and a README with the commands that deploy it. The ' +
    'config file says what a deployment needs to know.',
  arguments: [new Argument('<platform>', 'Where the edge runs').choices(Object.keys(platforms))],
  settings: [
    ...(['out', 'docsUrl'] as const),
    ...bucketSettings,
    ...(['edge.liveTtlSeconds', 'edge.host', 'edge.port', 'edge.hstsSeconds'] as const),
  ],
  options: [schemaOption('--dest <folder>', 'The folder for the files', pathSetting).makeOptionMandatory()],
  examples: [
    ['edge nginx --out /srv/fundpress/live --dest edge', 'nginx with files'],
    ['edge nginx --bucket file:///srv/fundpress --dest edge', 'nginx with a bucket that is a folder'],
    ['edge cloudflare --bucket fund-data --dest edge', 'A Worker with an R2 bucket'],
    ['edge cloudfront --bucket fund-data --region eu-central-1 --dest edge', 'CloudFront, S3 and Lambda'],
  ],
  run: async ({ settings, isQuiet, stdout }, { dest = '' }, platform: string) => {
    for (const { path, text } of (await platforms[platform]?.(settings)) ?? []) {
      const file = join(dest, path)
      await mkdir(dirname(file), { recursive: true })
      replaceFile(file, text)
      if (!isQuiet) stdout.write(`${file}\n`)
    }
  },
})
