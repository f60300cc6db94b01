/** `fundpress setup`: writes the files that a company needs for its first night, and checks its progress. */

import { join } from 'node:path'
import { Argument } from '@commander-js/extra-typings'
import { defineCommand, type Session } from '../../core/cli/command.ts'
import { UsageError } from '../../core/cli/failure.ts'
import { countOf } from '../../core/cli/format.ts'
import { option, schemaOption } from '../../core/cli/options.ts'
import { path as pathSetting } from '../../core/cli/setting-fields.ts'
import { collectAnswers, flagOf, openQuestions, questionList, targets } from './answers.ts'
import type { AnswerName, Target } from './answers.ts'
import { checkSetup } from './check.ts'
import { compareWith, makeSetup, writeAll } from './files.ts'
import { findRelease } from '../../core/cli/release.ts'
import { placeToWrite } from '../../core/system/place.ts'

type Given = Partial<Readonly<Record<AnswerName, string>>>

const answerOptions = questionList.map(([name, { asks, of }]) =>
  option(flagOf(name), of === undefined ? asks : `${asks} (${of.join(', ')})`),
)

export default defineCommand({
  description:
    'Writes the config file, the workflows (on a server the systemd units) and a checklist, SETUP.md, into an ' +
    'empty folder or a repository. It asks in the terminal for all answers that no flag gives. Nights run on GitHub Actions (aws, ' +
    'cloudflare) or by systemd (server). For Kubernetes and containers the package has folders in templates/, each ' +
    'with a README.\n\n' +
    'It overwrites no file that differs: then it writes nothing and names these files. With the same answers it changes ' +
    'nothing. With --check it looks at what it has written: the config file and the workflows, or the units and whether this ' +
    'machine runs them. `check --bucket` tests the bucket, `build` and `plan` try the first night: the checklist has them all.',
  arguments: [
    new Argument('[target]', 'What publishes and serves; --check needs none').choices([...targets]),
  ],
  options: [
    schemaOption('--dest <folder>', 'The folder for the files (default: this one)', pathSetting),
    option('--yes', 'Ask nothing: take the defaults for all other answers'),
    option('--overwrite', 'Overwrite files that differ'),
    option('--check', 'Check what is set up, and say what is still to do'),
    ...answerOptions,
  ],
  examples: [
    ['setup aws', 'Asks, then writes into this folder'],
    ['setup server --check', 'What is still to do on this server'],
  ],
  run: async (session, flags, target: Target | undefined) => {
    const { dest = '.', yes, overwrite, check } = flags
    if (check === true) return checkAndCount(session, dest)
    const given = Object.fromEntries(questionList.map(([name]) => [name, (flags as Given)[name]])) as Given
    if (target === undefined) throw new UsageError(`say what to set up: ${targets.join(', ')}`)
    placeToWrite(dest, 'folder')
    const answers = await answersFor(session, target, given, yes === true)
    const { writings, differing } = compareWith(dest, await makeSetup(session.known, answers))
    if (differing.length > 0 && overwrite !== true)
      throw new Error(
        `nothing was written, because these files are there and differ: ${differing.join(', ')} (--overwrite replaces them)`,
      )
    await writeAll(writings)
    if (session.isQuiet) return
    const written = writings.map(({ file }) => `${file}\n`).join('')
    session.stdout.write(
      written === '' ? 'nothing to change\n' : `${written}\nGo on with ${join(dest, 'SETUP.md')}\n`,
    )
  },
})

async function answersFor(session: Session, target: Target, given: Given, isSilent: boolean) {
  const asking = { target, given, release: findRelease() }
  if (isSilent) return collectAnswers({ ...asking, ask: null })
  const dialog = session.openDialog?.() ?? null
  if (dialog === null)
    throw new UsageError(
      'setup asks its questions in a terminal, and this is none: give --yes, and the answers as flags',
    )
  const { ask, close } = openQuestions(dialog)
  return collectAnswers({ ...asking, ask }).finally(close)
}

async function checkAndCount(session: Session, dest: string): Promise<void> {
  const { isQuiet, stdout } = session
  const styles = { ok: 'green', 'to do': 'yellow', failed: 'red' } as const
  let failed = 0
  await checkSetup(session, dest, ({ what, state, says }) => {
    if (state === 'failed') failed++
    if (isQuiet && state === 'ok') return
    stdout.write(`${stdout.paint(styles[state], state.padEnd(6))}  ${what.padEnd(16)}  ${says}\n`)
  })
  if (failed > 0)
    throw new Error(`${countOf(failed, 'step')} failed: correct the first one, then check again`)
}
