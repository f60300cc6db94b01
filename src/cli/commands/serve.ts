/** `fundpress serve`: a snapshot behind the edge, on this machine. */

import { Command } from 'commander'
import { examples, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'

export function serveCommand(start: Start): Command {
  return withSettings(new Command('serve'), 'out', 'edge.host', 'edge.port')
    .summary('serve a snapshot on this machine')
    .description(
      'Serves a snapshot over HTTP, as the published API answers. A new build is followed. Ctrl-C ends it.',
    )
    .addHelpText(
      'after',
      examples(
        ['serve --out out', 'On http://127.0.0.1:8080'],
        ['serve --out out --host 0.0.0.0 --port 80', 'For other machines too'],
      ),
    )
    .action(start(serve))
}

async function serve({ settings, isQuiet, signal, stdout, stderr }: Session): Promise<void> {
  const { out, edge } = settings
  const { createEdgeServer } = await import('../../edge/adapters/node.ts')
  const { folderOrigin } = await import('../../edge/adapters/folder-origin.ts')
  const { routeTable } = await import('../../derive/route-table.ts')
  const { endpoints } = await import('../../endpoints/index.ts')
  const { manifestKey, readManifestHead } = await import('../../snapshot/manifest.ts')
  const { recoverSnapshot } = await import('../../snapshot/staging.ts')
  const { exampleTargets } = await import('../../snapshot/examples.ts')
  const { listen } = await import('../listen.ts')

  recoverSnapshot(out)
  const { snapshot } = await readManifestHead(out)
  const origin = folderOrigin({
    folder: out,
    markFile: manifestKey,
    // The errors that the edge writes link to where those of the snapshot do.
    readTable: async (folder) => routeTable(endpoints, (await readManifestHead(folder)).docsUrl),
  })
  const onFailure = (error: unknown, target: string) => {
    const reason = error instanceof Error ? error.message : String(error)
    stderr.write(`fundpress: ${JSON.stringify(target.slice(0, 200))} failed: ${reason}\n`)
  }
  const server = createEdgeServer({ origin, settings: edge, onFailure })
  const address = await listen(server, edge)
  if (!isQuiet) {
    const links = (await exampleTargets(out)).map((target) => `  ${address}${target}\n`)
    stdout.write(`serving ${snapshot} from ${out} on ${address}\n`)
    if (links.length > 0) stdout.write(`try\n${links.join('')}`)
  }
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  server.close()
  server.closeAllConnections()
}
