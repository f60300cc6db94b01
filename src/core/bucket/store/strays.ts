/**
 * Strays: what consoles, operating systems and services of a store leave in a bucket by themselves. They are no objects: no listing of
 * a store shows them, so they are neither counted, compared nor deleted. None of our keys looks like one. Pure.
 */

/** Names of files and folders. All that begins with a dot is one, too: `.DS_Store`, `._x`, `.Trash-1000`, `.nfs0001`, `.snapshot`. */
const names: ReadonlySet<string> = new Set([
  'thumbs.db',
  'ehthumbs.db',
  'desktop.ini',
  '$recycle.bin',
  'system volume information',
  'lost+found',
  // Synology and QNAP.
  '@eadir',
  '#recycle',
  '@recycle',
])

/** Hadoop marks a folder by an object beside it, whose key ends so. */
const hadoopMarker = '_$folder$'

/**
 * Keys that AWS makes up: an access log, and the files of an inventory.
 * Source: Amazon S3 User Guide, "Log object key format" and "Locating your inventory list".
 */
const reports: readonly RegExp[] = [
  /(?:^|\/)\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d-[0-9A-F]{16}$/,
  /\/\d{4}-\d\d-\d\dT\d\d-\d\dZ\/(?:manifest\.json|manifest\.checksum|symlink\.txt)$/,
  /\/hive\/dt=\d{4}-\d\d-\d\d-\d\d-\d\d\/symlink\.txt$/,
  /\/data\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?:csv\.gz|orc|parquet)$/,
]

/** @param key relative to the prefix of the bucket; one that ends with a slash, or is empty, marks a folder */
export function isStray(key: string): boolean {
  if (key === '' || key.endsWith('/') || key.endsWith(hadoopMarker)) return true
  if (key.split('/').some((part) => part.startsWith('.') || names.has(part.toLowerCase()))) return true
  return reports.some((report) => report.test(key))
}
