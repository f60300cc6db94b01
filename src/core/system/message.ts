export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Code of an error of the system: `ENOENT`; '' for any other error. */
export const systemCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''
