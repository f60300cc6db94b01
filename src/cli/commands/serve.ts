/** `fundpress serve`: a snapshot behind the edge, on this machine. */

import { Command } from 'commander'
import { bucketFlags, withBucket } from '../bucket.ts'
import { UsageError } from '../failure.ts'
import { examples, withSettings } from '../options.ts'
import { serveBucket, serveFolder, type Served } from '../served.ts'
import type { Session, Start } from '../session.ts'

/** Somebody waits for the answer: a store that is silent is a 503 soon. */
const ofARequest = { attempts: 3, connectMs: 2000, silenceMs: 5000 }

/** Goes on while the machine sleeps, when the steady clock stands still; never back, as the wall clock may. */
function wakefulClock(clock: Session['clock'], now: Session['now']): Session['clock'] {
  let [steady, wall, time] = [clock(), now().getTime(), 0]
  return () => {
    const [steadyNow, wallNow] = [clock(), now().getTime()]
    time += Math.max(steadyNow - steady, wallNow - wall)
    ;[steady, wall] = [steadyNow, wallNow]
    return time
  }
}

/** Flags that were given; the settings say what holds. */
interface Flags {
  readonly out?: string
  readonly bucket?: string
}

export function serveCommand(start: Start): Command {
  return withSettings(
    new Command('serve'),
    'out',
    ...bucketFlags,
    'edge.liveTtlSeconds',
    'edge.host',
    'edge.port',
  )
    .summary('serve a snapshot on this machine')
    .description(
      'Serves a snapshot over HTTP, as the published API answers: that of a folder, or with --bucket what is live ' +
        'there. A new build or publish is followed. Ctrl-C ends it.',
    )
    .addHelpText(
      'after',
      examples(
        ['serve --out out', 'On http://127.0.0.1:8080'],
        ['serve --out out --host 0.0.0.0 --port 80', 'For other machines too'],
        ['serve --bucket fund-data --region eu-central-1', 'What is live in a bucket'],
      ),
    )
    .action(start(serve))
}

async function serve(session: Session, flags: Flags): Promise<void> {
  const { settings, clock, now } = session
  if (flags.bucket === undefined) return serveUntilStopped(session, await serveFolder(settings.out))
  if (flags.out !== undefined)
    throw new UsageError('--out and --bucket exclude each other: serve one of them')
  await withBucket(
    session,
    async (store) => {
      const liveTtlMs = settings.edge.liveTtlSeconds * 1000
      await serveUntilStopped(
        session,
        await serveBucket(store, {
          liveTtlMs,
          clock: wakefulClock(clock, now),
          onDamaged: ({ message }) => {
            session.stderr.write(`fundpress: ${message} (what was live before is served on)\n`)
          },
        }),
      )
    },
    ofARequest,
  )
}

async function serveUntilStopped(session: Session, { origin, snapshot, place, ...served }: Served) {
  const { settings, isQuiet, signal, stdout, stderr } = session
  const { createEdgeServer } = await import('../../edge/adapters/node.ts')
  const { listen } = await import('../listen.ts')
  const onFailure = (error: unknown, target: string) => {
    if (signal.aborted) return
    const reason = error instanceof Error ? error.message : String(error)
    stderr.tell(`${JSON.stringify(target.slice(0, 200))} failed: ${reason}`)
  }
  const server = createEdgeServer({ origin, settings: settings.edge, onFailure })
  const address = await listen(server, settings.edge)
  if (!isQuiet) {
    const links = (await served.examples()).map((target) => `  ${address}${target}\n`)
    stdout.write(`serving ${snapshot} from ${place} on ${address}\n`)
    if (links.length > 0) stdout.write(`try\n${links.join('')}`)
  }
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  server.close()
  server.closeAllConnections()
}
