/** `fundpress edge`: everything that is to be deployed for the edge on a platform, written into a folder. */

import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Argument, Command } from 'commander'
import type { MakeDeployment } from '../../deploy/deployment.ts'
import { replaceFile } from '../../disk/durable.ts'
import { bucketFlags } from '../bucket.ts'
import { examples, pathOption, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'

/** Platforms, each with what makes its files. */
const platforms: Readonly<Record<string, () => Promise<MakeDeployment>>> = {
  cloudfront: async () => (await import('../../deploy/cloudfront.ts')).cloudfront,
  cloudflare: async () => (await import('../../deploy/cloudflare.ts')).cloudflare,
  nginx: async () => (await import('../../deploy/nginx.ts')).nginx,
}

interface Flags {
  readonly dest: string
}

export function edgeCommand(start: Start): Command {
  return withSettings(
    new Command('edge'),
    'out',
    'docsUrl',
    ...bucketFlags,
    'edge.liveTtlSeconds',
    'edge.host',
    'edge.port',
    'edge.hstsSeconds',
  )
    .summary('write what is to be deployed for the edge on a platform')
    .description(
      'Writes the code of the edge as one file, its configuration, and a README with the commands that deploy it. ' +
        'What a deployment needs to know comes from the config file.',
    )
    .addArgument(new Argument('<platform>', 'Where the edge is to run').choices(Object.keys(platforms)))
    .addOption(pathOption('--dest <folder>', 'Where the files go').makeOptionMandatory())
    .addHelpText(
      'after',
      examples(
        ['edge nginx --out /srv/fundpress/live --dest edge', 'nginx with files'],
        ['edge cloudflare --bucket fund-data --dest edge', 'A Worker with an R2 bucket'],
        ['edge cloudfront --bucket fund-data --region eu-central-1 --dest edge', 'CloudFront, S3 and Lambda'],
      ),
    )
    .action((platform: string, { dest }: Flags, command: Command) =>
      start(writeEdge)({ platform, dest }, command),
    )
}

async function writeEdge(session: Session, { platform, dest }: Flags & { readonly platform: string }) {
  const { settings, isQuiet, stdout } = session
  const make = await platforms[platform]?.()
  for (const { path, text } of (await make?.(settings)) ?? []) {
    const file = join(dest, path)
    await mkdir(dirname(file), { recursive: true })
    replaceFile(file, text)
    if (!isQuiet) stdout.write(`${file}\n`)
  }
}
