/** `fundpress rollback`: the snapshot that stood before is live again. */

import { Command, InvalidArgumentError, Option } from 'commander'
import { bucketFlags, withBucket } from '../bucket.ts'
import { livePointer } from '../live-pointer.ts'
import { examples, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'

interface Flags {
  readonly to?: string
  /** False with --no-check. */
  readonly check: boolean
  /** False with --no-lock. */
  readonly lock: boolean
  readonly json?: boolean
}

export function rollbackCommand(start: Start): Command {
  return withSettings(new Command('rollback'), ...bucketFlags, 'bucket.leaseSeconds', 'edge.keyValueStore')
    .summary('make the snapshot that stood before live again')
    .description(
      'Makes the other slot live, in one write, if a listing finds it whole and nobody publishes. A second rollback takes back the ' +
        'first; nightly publishes what was taken back with --again only. ' +
        'Edges follow within their --live-ttl. Downloads go back with the snapshot; if they are gone, it warns.',
    )
    .addOption(snapshotOption('--to <snapshot>', 'Only if the other slot holds this snapshot'))
    .option('--no-check', 'Trust the journal that the slot is whole, without listing it')
    .option('--no-lock', 'Do without conditional writes: nothing protects against a publish then')
    .option('--json', 'Print what is live now as JSON, with the warnings')
    .addHelpText(
      'after',
      examples(
        ['rollback --bucket fund-data --region eu-central-1', 'To whatever stood before'],
        ['rollback --bucket fund-data --to 2026-11-19-3f9c2ab4d1e0', 'To this snapshot and no other'],
      ),
    )
    .action(start(rollBack))
}

async function rollBack(session: Session, { to, check, lock, json = false }: Flags): Promise<void> {
  const { isQuiet, stdout } = session
  const warnings: string[] = []
  const live = await withBucket(session, async (store) => {
    const { rollback } = await import('../../publish/rollback.ts')
    const { thisHolder, isAlive } = await import('../../publish/holder.ts')
    return rollback(store, {
      to: to ?? null,
      isChecking: check,
      isLocking: lock,
      seconds: session.settings.bucket.leaseSeconds,
      me: thisHolder(),
      isAlive,
      pointer: await livePointer(session),
      signal: session.signal,
      onWarning: (warning) => {
        warnings.push(warning)
        session.stderr.tell(warning)
      },
    })
  })
  if (json) stdout.data(`${JSON.stringify({ ...live, warnings })}\n`)
  else if (!isQuiet) stdout.write(`${live.snapshot} is live again, in ${live.slot}\n`)
}

function snapshotOption(flag: string, describe: string): Option {
  return new Option(flag, describe).argParser((text) => {
    if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9a-f]{12}$/.test(text)) return text
    throw new InvalidArgumentError('It must be a snapshot id, such as 2026-11-19-3f9c2ab4d1e0.')
  })
}
