export const shellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The same, bare where no character has a meaning for a shell. */
export const shellWord = (text: string): string => (/^[\w./-]+$/.test(text) ? text : shellText(text))
