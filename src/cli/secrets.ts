/** Passwords in addresses, kept out of everything that is written. */

/**
 * The text without user names and passwords of the addresses in it. A password that is not encoded may hold anything but
 * white space: all up to the last `@` of a word goes.
 */
export const withoutSecrets = (text: string): string => text.replace(/\S+/g, withoutSecret)

function withoutSecret(word: string): string {
  // One slash is what is left of two where an address was taken for a path.
  const scheme = word.indexOf(':/')
  const host = word.lastIndexOf('@')
  if (scheme === -1 || host < scheme) return word
  const slashes = word.startsWith('//', scheme + 1) ? '//' : '/'
  return `${word.slice(0, scheme + 1)}${slashes}***${word.slice(host)}`
}

/** A value that was refused, as a message shows it: not at all where it may hold a password, in whatever form. */
export const shownValue = (text: string): string =>
  text.includes('@') ? 'a value with an @ (not shown, it may hold a password)' : `'${text}'`
