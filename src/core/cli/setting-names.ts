/** Other names of settings. Apart from their shapes, whose library takes a tenth of a second to start. */

/** `downloads` for `downloads.enabled`. */
export function shortName(key: string): string {
  return key.replace(/\.enabled$/, '')
}

/** `FUNDPRESS_BUCKET_MAX_RATE` for `bucket.maxRate`, `FUNDPRESS_DOWNLOADS` for `downloads.enabled`. */
export function variableOf(key: string): string {
  return `FUNDPRESS_${shortName(key).replace(/[A-Z]/g, '_$&').replace('.', '_').toUpperCase()}`
}
