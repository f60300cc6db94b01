/**
 * The order of the fields in the narrow form. A field that comes again begins the next day or payment of its class. So if one is
 * left out, the values behind it might go to another day: each day has to begin with the same field.
 */

import type { OfId, OpenField } from './fields.ts'

/** Fields that belong to one day: its prices, a payment, a split, assets. */
const groups: readonly (readonly OfId[])[] = [
  [
    'OFDY000020',
    'OFDY000021',
    'OFDY000025',
    'OFDY000026',
    'OFDY000035',
    'OFDY000036',
    'OFDY000040',
    'OFDY000041',
  ],
  ['OFDY005000', 'OFDY005010', 'OFDY005015', 'OFDY005020', 'OFDY005030'],
  ['OFDY005060', 'OFDY005062'],
  ['OFDY000060', 'OFDY000061'],
  ['OFDY000070', 'OFDY000071'],
]

const groupOf = ({ id }: OpenField) => groups.find((group) => group.includes(id))

interface OrderOfClass {
  /** Keys of fields since the last one that came again. */
  readonly seen: Set<string>
  /** The group of each field that was seen, with the first field of the class's first day. */
  readonly first: Map<readonly OfId[], string>
  readonly begun: Set<readonly OfId[]>
  /** Groups of which a day begins with another field. */
  readonly torn: Map<readonly OfId[], string>
}

const newOrder = (): OrderOfClass => ({
  seen: new Set(),
  first: new Map(),
  begun: new Set(),
  torn: new Map(),
})

/** Follows the fields of each share class. Its memory grows with the classes, not with their days. */
export function fieldOrder() {
  const classes = new Map<string, OrderOfClass>()
  const look = (isin: string, field: OpenField): void => {
    const { key, label } = field
    const order = classes.get(isin) ?? newOrder()
    classes.set(isin, order)
    if (order.seen.has(key)) {
      order.seen.clear()
      order.begun.clear()
    }
    order.seen.add(key)
    const group = groupOf(field)
    if (group === undefined || order.begun.has(group)) return
    order.begun.add(group)
    const first = order.first.get(group) ?? label
    order.first.set(group, first)
    if (first !== label && !order.torn.has(group))
      order.torn.set(group, `one begins with ${first}, another with ${label}`)
  }
  return {
    look,
    /** @returns why nobody knows to which day a field belongs; undefined if it is clear. To be called after the last field */
    faultOf: (isin: string, field: OpenField): string | undefined => {
      const torn = classes.get(isin)?.torn.get(groupOf(field) ?? [])
      return torn === undefined
        ? undefined
        : `${field.label}: of the days of this class, ${torn}, so one lacks a field and nobody knows which value is of which day; ` +
            'give each day the same fields in one order, [N/A] where there is no value'
    },
  }
}
