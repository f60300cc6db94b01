/** What `fundpress serve --out` serves, in this process: for expectations, and with settings of its own. */
import { serveFolder } from '../../src/core/cli/serve.ts'
import { createEdgeServer, type NodeEdgeOptions } from '../../src/core/edge/node/server.ts'
import { listen } from './request.ts'
import { edgeSettings } from './edge-settings.ts'

export async function serveHere(out: string, options: Partial<NodeEdgeOptions> = {}) {
  const { origin } = await serveFolder(out)
  const settings = edgeSettings(0).edge
  const server = createEdgeServer({ origin, settings, onFailure: () => undefined, ...options })
  return { server, ...(await listen(server)) }
}
