import type { Page, SitePageSource } from '../../../core/api/contract/page.ts'
import { addDays } from '../../../core/system/days.ts'
import { mailTo } from '../../../core/layout/layout.ts'

/** Who takes reports of vulnerabilities. It expires within a year, since each night makes it anew. Source: RFC 9116. */
export function* securityPage({ publisher, asOf }: SitePageSource): Generator<Page> {
  const contact = publisher?.security ?? null
  if (contact === null) return
  const address = contact.startsWith('https:') ? contact : mailTo(contact)
  const expires = `${addDays(asOf, 364)}T00:00:00Z`
  yield {
    key: 'security.txt',
    content: `Contact: ${address}\nExpires: ${expires}\nPreferred-Languages: de, en\n`,
  }
}
