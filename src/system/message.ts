/** The error's message; any other value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
