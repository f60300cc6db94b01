/** `fundpress doctor`: whether tonight would go well, tried for real. */

import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { Command } from 'commander'
import type { Finding, Level } from '../../publish/doctor.ts'
import { escapeInvisible } from '../../source/printable.ts'
import { bucketFlags, withBucket } from '../bucket.ts'
import { examples, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'
import type { Style } from '../terminal.ts'

interface Flags {
  readonly json?: boolean
}

export function doctorCommand(start: Start): Command {
  return withSettings(new Command('doctor'), 'out', ...bucketFlags)
    .summary('try everything that a publish needs')
    .description(
      'Tries everything that would make a publish fail: credentials, region, rights, conditional puts, clock, rules of ' +
        'the bucket, disk. Writes one small object, journal/doctor-…, and removes it. Exit code 1 if there is a problem.',
    )
    .option('--json', 'Print { problems, warnings, findings } as JSON')
    .addHelpText(
      'after',
      examples(
        [
          'doctor --bucket fund-data --region eu-central-1',
          'Before the first night, and when one has failed',
        ],
        ['doctor --bucket fund-data --json', 'The same for machines'],
      ),
    )
    .action(start(doctor))
}

/** It is to answer in a moment. */
const patience = { attempts: 2, connectMs: 3000, silenceMs: 4000 }

const styles: Readonly<Record<Level, Style>> = { ok: 'green', warning: 'yellow', problem: 'red' }

async function doctor(session: Session, { json = false }: Flags): Promise<void> {
  const { settings, now, signal, isQuiet, stdout } = session
  const { baseUrl, docsUrl, bucket } = settings
  const findings: Finding[] = []
  const show = ({ what, level, says }: Finding) => {
    if (json || (isQuiet && level !== 'problem')) return
    const word = stdout.paint(styles[level], level.padEnd(7))
    stdout.write(`${word}  ${what.padEnd(15)}  ${escapeInvisible(says)}\n`)
  }
  await withBucket(
    session,
    async (store) => {
      const { examine } = await import('../../publish/doctor.ts')
      const { thisHolder, isAlive } = await import('../../publish/holder.ts')
      await examine(store, {
        out: settings.out,
        addresses: { baseUrl, docsUrl, endpoint: bucket.endpoint },
        temporary: tmpdir(),
        nodeVersion: process.versions.node,
        me: thisHolder(),
        isAlive,
        now,
        uuid: randomUUID(),
        signal,
        onFinding: (finding) => {
          findings.push(finding)
          show(finding)
        },
      })
    },
    patience,
  )
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length
  const [problems, warnings] = [count('problem'), count('warning')]
  if (json) stdout.data(`${JSON.stringify({ problems, warnings, findings })}\n`)
  if (problems > 0) {
    const noun = problems === 1 ? 'problem' : 'problems'
    throw new Error(`${problems} ${noun}: a publish would fail or harm readers`)
  }
}
