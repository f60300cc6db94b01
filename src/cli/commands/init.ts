/** `fundpress init`: an empty database of the schema. */

import { defineCommand } from '../command.ts'
import { required } from '../options.ts'
import { initDatabase } from '../../data/model/new-database.ts'

export default defineCommand({
  description:
    'Makes an empty fund database with all tables of the schema. It does not touch a file that exists.',
  settings: ['db'],
  examples: [['init --db funds.sqlite', 'An empty database that your own tools fill']],
  run: ({ settings, isQuiet, stdout }) => {
    const db = required(settings.db, 'db')
    initDatabase(db)
    if (!isQuiet) stdout.write(`made ${db}\n`)
  },
})
