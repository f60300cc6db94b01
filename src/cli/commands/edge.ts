/** `fundpress edge`: writes everything that deploys the edge on a platform. */

import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defineCommand, type Session } from '../command.ts'
import { UsageError } from '../failure.ts'
import { bucketSettings, required, schemaOption } from '../options.ts'
import { cloudflare } from '../../edge/cloudflare/deploy.ts'
import { cloudfront } from '../../edge/cloudfront/deploy.ts'
import { folderOfBucket, type MakeDeployment } from '../../edge/deployment.ts'
import { path as pathSetting } from '../settings.ts'
import { nginxBucket, nginxFiles, nginxFolder } from '../../edge/nginx/deploy.ts'
import { replaceFile } from '../../system/durable.ts'
import { placeToWrite } from '../../system/place.ts'
import { Argument } from 'commander'

const platforms: Readonly<Record<string, MakeDeployment>> = {
  cloudfront,
  cloudflare,
  'nginx-files': nginxFiles,
  'nginx-folder': nginxFolder,
  'nginx-bucket': nginxBucket,
}

export default defineCommand({
  description:
    'Writes the code of the edge as one file, its configuration, and a README with the commands that deploy it. The ' +
    'config file says what a deployment needs to know. nginx-files answers from the folder of a snapshot, ' +
    'nginx-folder from a bucket that is a folder, nginx-bucket from any other bucket. nginx takes the folder of --out if it is ' +
    'given, else the bucket of the settings, else their folder.',
  arguments: [
    new Argument('<platform>', 'Where the edge runs').choices([...Object.keys(platforms), 'nginx']),
  ],
  settings: [
    ...(['out', 'docsUrl'] as const),
    ...bucketSettings,
    ...(['edge.liveTtlSeconds', 'serve.host', 'serve.port', 'edge.hstsSeconds'] as const),
  ],
  options: [schemaOption('--dest <folder>', 'The folder for the files', pathSetting).makeOptionMandatory()],
  examples: [
    ['edge nginx-files --out /srv/fundpress/live --dest edge', 'nginx with files'],
    ['edge nginx-bucket --bucket fund-data --region eu-central-1 --dest edge', 'nginx with a bucket'],
    ['edge nginx-folder --bucket file:///srv/fundpress --dest edge', 'nginx with a bucket that is a folder'],
    ['edge cloudflare --bucket fund-data --dest edge', 'A Worker with an R2 bucket'],
    ['edge cloudfront --bucket fund-data --region eu-central-1 --dest edge', 'CloudFront, S3 and Lambda'],
  ],
  run: async (session, { dest = '' }, given: string) => {
    const { settings, isQuiet, stdout } = session
    const platform = given === 'nginx' ? nginxMode(session) : given
    if (/^nginx-(?:bucket|folder)$/.test(platform)) required(settings.bucket.name, 'bucket.name')
    placeToWrite(dest, 'folder')
    for (const { path, text } of (await platforms[platform]?.(settings)) ?? []) {
      const file = join(dest, path)
      await mkdir(dirname(file), { recursive: true })
      replaceFile(file, text)
      if (!isQuiet) stdout.write(`${file}\n`)
    }
  },
})

/** A bucket in the config file must not overrule the folder that the command line asks for. */
function nginxMode({ settings, hasFlag }: Session): string {
  if (hasFlag('out') && hasFlag('bucket.name'))
    throw new UsageError(
      '--out and --bucket exclude each other: `fundpress edge nginx-files` answers from a folder, `nginx-bucket` from a bucket',
    )
  const { name } = settings.bucket
  if (hasFlag('out') || name === null) return 'nginx-files'
  return folderOfBucket(name) === null ? 'nginx-bucket' : 'nginx-folder'
}
