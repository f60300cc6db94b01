/** Settings of the guards: limits of age, and what is expected of data. */

import { z } from 'zod'
import { maxBusinessDays } from '../guards/calendar.ts'
import { defaultExpectations } from '../guards/plausibility.ts'
import { defaultFreshness } from '../guards/rules.ts'
import { numberBetween, onOrOff, group, say, settingText as text, whole } from './setting-fields.ts'

const calendar = text(
  'a country, a country with a state such as DE-BY, or TARGET',
  /^(TARGET|[A-Z]{2}(-[A-Z0-9]{1,3})?)$/u,
)
const businessDays = whole(0, maxBusinessDays - 1)
const isins = z.array(text('an ISIN', /^[A-Z]{2}[A-Z0-9]{9}[0-9]$/u), 'a list of ISINs')

const selectors = ['category', 'currency', 'isins'] as const

/** An entry of `groups`: funds, named by one of the selectors at least, and their limits. */
const fundGroup = <Shape extends z.ZodRawShape>(limits: Shape) =>
  z
    .strictObject(
      {
        category: say(
          'Funds whose profile has this category, in German or English.',
          text('a text', /./u).exactOptional(),
        ),
        currency: say(
          'Funds in this currency.',
          text('three letters, such as EUR', /^[A-Z]{3}$/u).exactOptional(),
        ),
        isins: say('These funds.', isins.min(1, 'a list of ISINs').exactOptional()),
        ...limits,
      },
      'an object',
    )
    .refine(
      (entry) => selectors.some((name) => (entry as Record<string, unknown>)[name] !== undefined),
      `an object with at least one of ${selectors.join(', ')}`,
    )
    // JSON Schema's words for the refinement above.
    .meta({ anyOf: selectors.map((name) => ({ properties: { [name]: true }, required: [name] })) })

const freshnessGroup = fundGroup({
  calendar: say('As for all funds.', calendar.exactOptional()),
  warnDays: say(
    'As for all funds, but after the newest price, whatever the rhythm.',
    businessDays.exactOptional(),
  ),
  errorDays: say(
    'As for all funds, but after the newest price, whatever the rhythm.',
    businessDays.exactOptional(),
  ),
  never: say('The prices of these funds are not monitored.', z.boolean('true or false').exactOptional()),
})

const strictness = numberBetween(0.1, 10)

const expectationGroup = fundGroup({
  strictness: say('As for all funds.', strictness.exactOptional()),
  never: say('The prices of these funds are not checked.', z.boolean('true or false').exactOptional()),
})

export const guardSettings = {
  freshness: group("How old a fund's newest price may be, in business days.", {
    calendar: say(
      'The calendar whose holidays are not business days.',
      calendar.default(defaultFreshness.calendar),
    ),
    yearEndOpen: say('24 and 31 December are business days.', onOrOff(defaultFreshness.yearEndOpen)),
    warnDays: say(
      'An older price is late. Funds with a price less often than daily: so long after the next one was expected.',
      businessDays.default(defaultFreshness.warnDays),
    ),
    errorDays: say(
      'An older price is stale. Funds with a price less often than daily: so long after the next one was expected.',
      businessDays.default(defaultFreshness.errorDays),
    ),
    groups: say(
      'Other rules for some funds. The first group that a fund belongs to applies.',
      z.array(freshnessGroup, 'a list').default([]),
    ),
  }),
  expectations: group('How far data may be from what is expected of them, by the history of each fund.', {
    strictness: say(
      'All limits are divided by it: 2 halves them, 0.5 doubles them.',
      strictness.default(defaultExpectations.strictness),
    ),
    onImplausible: say(
      'What happens to implausible prices: the build is refused, or the prices of these funds stay as they are live.',
      z.enum(['refuse', 'withhold'], 'refuse or withhold').default(defaultExpectations.onImplausible),
    ),
    groups: say(
      'Another strictness for some funds. The first group that a fund belongs to applies.',
      z.array(expectationGroup, 'a list').default([]),
    ),
  }),
}
