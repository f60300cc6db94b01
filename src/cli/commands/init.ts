/** `fundpress init`: an empty database of the schema. */

import { Command } from 'commander'
import { examples, required, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'

export function initCommand(start: Start): Command {
  return withSettings(new Command('init'), 'db')
    .summary('make an empty database')
    .description(
      'Makes an empty fund database, with all tables of the schema. A file that exists is left alone.',
    )
    .addHelpText(
      'after',
      examples(['init --db funds.sqlite', 'An empty database, to be filled by your own tools']),
    )
    .action(start(init))
}

async function init({ settings, isQuiet, stdout }: Session): Promise<void> {
  const db = required(settings.db, 'db')
  const { initDatabase } = await import('../../source/init.ts')
  initDatabase(db)
  if (!isQuiet) stdout.write(`made ${db}\n`)
}
