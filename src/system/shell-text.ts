/** Text in a line that can be pasted into a shell. */

/** In single quotes, as every shell of the kind takes it. */
export const shellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The same, bare where nothing in it means anything to a shell. */
export const shellWord = (text: string): string => (/^[\w./-]+$/.test(text) ? text : shellText(text))
