/** What a browser may do with a page. The pages themselves repeat the policy in a meta element, for readers without a server. */

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  // A meta element cannot say this.
  "frame-ancestors 'none'",
].join('; ')

/** The headers of every HTML answer, besides those of every file. Sources: CSP Level 3, Referrer Policy, Permissions Policy. */
export const htmlHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}
