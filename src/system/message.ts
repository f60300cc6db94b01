/** The text of an error of any kind, for messages and logs. */

/** The error's message; what is no `Error` becomes text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
