/** Passwords in addresses, kept out of everything that is written. */

/**
 * Long enough for any address, and short enough for a text full of them. One slash is what is left of two where an address
 * was taken for a path.
 */
const hidden = /:(\/+)\S{0,2000}@/g

/**
 * The text without user names and passwords of the addresses in it. A password that is not encoded may hold anything but
 * white space: all up to the last `@` goes.
 */
export const withoutSecrets = (text: string): string => text.replace(hidden, ':$1***@')

/** A value that was refused, as a message shows it: not at all where it may hold a password, in whatever form. */
export const shownValue = (text: string): string =>
  text.includes('@') ? 'a value with an @ (not shown, it may hold a password)' : `'${text}'`
