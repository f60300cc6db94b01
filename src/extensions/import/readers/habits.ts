/** How the files of a table or a format are read, by the config: the settings about lines and cells, which flags have, too. */

import type { ReadOptions } from './reader.ts'

/**
 * What the command line says counts, then what the config says.
 * @param name a table, or a format whose lines are no table's
 */
export function withHabits(options: ReadOptions, name: string): ReadOptions {
  const habits = options.habitsOf(name)
  return {
    ...options,
    sheet: options.sheet ?? habits.sheet,
    delimiter: options.delimiter ?? habits.delimiter,
    skipLines: options.skipLines ?? habits.skipLines,
    skipLast: options.skipLast ?? habits.skipLast,
    skip: [...(habits.skip ?? []), ...options.skip],
    keep: [...(habits.keep ?? []), ...options.keep],
    fillDown: [...(habits.fillDown ?? []), ...options.fillDown],
    skipHidden: options.skipHidden || habits.skipHidden === true,
    decimal: options.decimal ?? habits.decimal,
    dates: options.dates ?? habits.dates,
    dropTimes: options.dropTimes || habits.dropTimes === true,
    constants: new Map([...habits.constants, ...options.constants]),
    isDeriving: options.isDeriving || habits.isDeriving,
  }
}
