/** Pages for people, where the deployment has any: what they let a browser do. */

import type { Check } from '../check.ts'

const pages = ['/docs/', '/docs/explorer/', '/funds/', '/status/', '/downloads/latest/']

export const pageChecks: readonly Check[] = [
  {
    group: 'http',
    name: 'lets no other site put a page into a frame, and no page run what it did not bring',
    run: async ({ each, ask, fail }) => {
      await each(pages, async (target) => {
        const { status, headers } = await ask({ target })
        if (status !== 200 || headers.get('content-type')?.startsWith('text/html') !== true) return
        for (const [name, form] of rules) {
          const value = headers.get(name) ?? 'absent'
          if (!form.test(value)) fail({ target }, `${name} like ${form.source}`, value)
        }
        const policy = headers.get('content-security-policy') ?? ''
        if (/'unsafe-|\*/.test(policy)) fail({ target }, 'a policy without unsafe sources', policy)
      })
    },
  },
]

/** Sources: Content Security Policy Level 3, Referrer Policy, Fetch (nosniff), Permissions Policy. */
const rules: readonly (readonly [name: string, form: RegExp])[] = [
  ['content-security-policy', /(?:^|; *)default-src 'none'(?:;|$)/],
  ['content-security-policy', /(?:^|; *)frame-ancestors 'none'(?:;|$)/],
  ['referrer-policy', /^(?:no-referrer|same-origin|strict-origin|strict-origin-when-cross-origin)$/],
  ['x-content-type-options', /^nosniff$/],
  ['permissions-policy', /\bcamera=\(\)/],
]
