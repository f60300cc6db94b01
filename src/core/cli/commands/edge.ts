/** `fundpress edge`: writes all files that deploy the edge on a platform. */

import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type AddCommand, defineCommand } from '../command.ts'
import { UsageError } from '../failure.ts'
import { bucketSettings, schemaOption } from '../options.ts'
import { path as pathSetting } from '../setting-fields.ts'
import { replaceFile } from '../../system/durable.ts'
import { placeToWrite } from '../../system/place.ts'
import { Argument } from '@commander-js/extra-typings'
import { privateFile } from '../../system/private.ts'

const addEdge: AddCommand = (command, surroundings, known) => {
  const platforms = surroundings.extensions.list.flatMap(({ platform }) => platform ?? [])
  const named = new Map(platforms.map((platform) => [platform.name, platform]))
  const add = defineCommand({
    description: [
      'Writes what serves the API on a platform: code or configuration, and a README with the commands that deploy it.',
      'The config file says what a deployment needs to know.',
      ...platforms.flatMap(({ about }) => about ?? []),
    ].join(' '),
    arguments: [new Argument('<platform>', 'Where the edge runs').choices([...named.keys()])],
    settings: [
      'out',
      'docsUrl',
      ...bucketSettings,
      'serve.host',
      'serve.port',
      'serve.trustedProxies',
      'edge.hstsSeconds',
    ],
    options: [schemaOption('--dest <folder>', 'The folder for the files', pathSetting).makeOptionMandatory()],
    examples: platforms.flatMap(({ examples }) => examples),
    run: async ({ settings, hasFlag, isQuiet, stdout }, { dest = '' }, name: string) => {
      const platform = named.get(name)
      const isFolder = platform?.servesFolder === true && hasFlag('out')
      if (isFolder && hasFlag('bucket.name'))
        throw new UsageError(
          '--out and --bucket exclude each other: `fundpress serve` answers from one of them',
        )
      placeToWrite(dest, 'folder')
      // A bucket in the config file must not overrule the folder that the command line asks for.
      const chosen = isFolder ? { ...settings, bucket: { ...settings.bucket, name: null } } : settings
      const loaded = await platform?.load()
      for (const { path, text, isSecret = false } of (await loaded?.deployment(chosen)) ?? []) {
        const file = join(dest, path)
        await mkdir(dirname(file), { recursive: true })
        replaceFile(file, text, isSecret ? privateFile : undefined)
        if (!isQuiet) stdout.write(`${file}\n`)
      }
    },
  })
  add(command, surroundings, known)
}

export default addEdge
