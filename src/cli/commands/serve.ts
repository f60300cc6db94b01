/** `fundpress serve`: serves a snapshot on this machine. */

import { setFlagsFromString } from 'node:v8'
import { withBucket } from '../bucket.ts'
import { defineCommand, type Session } from '../command.ts'
import { UsageError } from '../failure.ts'
import { bucketSettings } from '../options.ts'
import { listen, serveBucket, type Served, serveFolder } from '../served.ts'
import { createEdgeServer } from '../../edge/node/server.ts'
import { messageOf } from '../../system/message.ts'

/** Flags that were given; the settings have the values. */
interface Flags {
  readonly out?: string
  readonly bucket?: string
}

export default defineCommand<Flags>({
  description:
    'Serves a snapshot over HTTP, as the published API answers: that of a folder, or with --bucket the live one. It ' +
    'follows new builds and publishes. Ctrl-C ends it.',
  settings: ['out', ...bucketSettings, 'edge.liveTtlSeconds', 'edge.host', 'edge.port'],
  examples: [
    ['serve --out out', 'On http://127.0.0.1:8080'],
    ['serve --out out --host 0.0.0.0 --port 80', 'For other machines, too'],
    ['serve --bucket fund-data --region eu-central-1', 'The live snapshot of a bucket'],
  ],
  run: async (session, flags) => {
    const { settings, clock, now, stderr } = session
    if (flags.bucket === undefined) return serveUntilStopped(session, await serveFolder(settings.out))
    if (flags.out !== undefined)
      throw new UsageError('--out and --bucket exclude each other: serve one of them')
    const liveTtlMs = settings.edge.liveTtlSeconds * 1000
    const onDamaged = ({ message }: Error) => {
      stderr.tell(`${message} (the previous snapshot is still served)`)
    }
    await withBucket(
      session,
      async (store) => {
        const options = { liveTtlMs, clock: wakefulClock(clock, now), onDamaged }
        await serveUntilStopped(session, await serveBucket(store, options))
      },
      requestPatience,
    )
  },
})

/** A client waits for the answer: a silent store must soon become a 503. */
const requestPatience = { attempts: 3, connectMs: 2000, silenceMs: 5000 }

/** A clock that runs on while the machine sleeps, unlike the steady one, and never back, unlike the wall clock. */
function wakefulClock(clock: Session['clock'], now: Session['now']): Session['clock'] {
  let [steady, wall, time] = [clock(), now().getTime(), 0]
  return () => {
    const [steadyNow, wallNow] = [clock(), now().getTime()]
    time += Math.max(steadyNow - steady, wallNow - wall)
    ;[steady, wall] = [steadyNow, wallNow]
    return time
  }
}

async function serveUntilStopped(session: Session, { origin, snapshot, place, examples }: Served) {
  const { settings, isQuiet, signal, stdout, stderr } = session
  const onFailure = (error: unknown, target: string) => {
    if (signal.aborted) return
    stderr.tell(`${JSON.stringify(target.slice(0, 200))} failed: ${messageOf(error)}`)
  }
  // On a machine with much memory V8 lets young garbage pile up, 50 MB and more, which is most of what hostile clients cost.
  setFlagsFromString('--semi-space-growth-factor=1')
  const server = createEdgeServer({ origin, settings: settings.edge, onFailure })
  const address = await listen(server, settings.edge)
  if (!isQuiet) {
    const links = (await examples()).map((target) => `  ${address}${target}\n`)
    stdout.write(`serving ${snapshot} from ${place} on ${address}\n`)
    if (links.length > 0) stdout.write(`try\n${links.join('')}`)
  }
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  server.close()
  server.closeAllConnections()
}
