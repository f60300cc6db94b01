/** Programs that a machine may lack. */

/** Whether a test has to be skipped for it: in CI it fails instead. */
export const isMissing = (isThere: boolean): boolean => !isThere && process.env['CI'] !== 'true'
