/** `live.json` is there, and is not what `fundpress publish` writes. */

/**
 * Thrown by whoever reads `live.json` for an edge. Nobody publishes or rolls back while it is damaged, so no slot begins to
 * be written to: an edge that has looked in time can go on with what it saw.
 */
export class DamagedLive extends Error {
  override readonly name = 'DamagedLive'
}
