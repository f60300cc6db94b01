/** The JSON Schema of fundpress.config.json, for editors: made of the declaration, so that both say the same. */

import { isDerived } from './setting.ts'
import type { Declaration } from './setting.ts'
import { declaration } from './settings.ts'

/** The text of templates/fundpress.config.schema.json. */
export function configSchema(): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'fundpress.config.json',
    ...objectSchema(declaration, { $schema: { description: 'Where this schema lies.', type: 'string' } }),
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

function objectSchema(members: Declaration, first: Readonly<Record<string, object>> = {}) {
  const properties = Object.entries(members).map(([name, member]) => [name, memberSchema(member)] as const)
  return {
    type: 'object',
    additionalProperties: false,
    properties: { ...first, ...Object.fromEntries(properties) },
  }
}

function memberSchema(member: Declaration[string]): object {
  const { describe } = member
  if (member.kind === 'list') {
    const anyOf = member.oneOf.map((name) => ({ properties: { [name]: true }, required: [name] }))
    return { description: describe, type: 'array', items: { ...objectSchema(member.members), anyOf } }
  }
  if (member.kind === 'group') return { description: describe, ...objectSchema(member.members) }
  const { schema, fallback, expects } = member
  // JSON Schema holds constants only, so what a derived default is goes into the words.
  if (isDerived(fallback)) return { description: `${describe} Default: ${fallback.text}.`, ...schema }
  if (fallback === null) return { description: `${describe} It must be ${expects}.`, ...schema }
  return { description: describe, ...schema, default: fallback }
}
