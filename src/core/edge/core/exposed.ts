/**
 * What scripts of other origins may read of any answer, beyond what the Fetch standard lets them read anyway: all headers of ours but
 * those that browsers obey themselves. `*` would be shorter, but older browsers do not know it.
 */
export const exposedHeaders =
  'Accept-Ranges, Allow, Content-Disposition, Content-Encoding, Content-Range, ETag, Link, Retry-After, Vary, X-Fundpress-Snapshot'
