/** Durations as an option's argument: `36h`. */

import { InvalidArgumentError, Option } from 'commander'

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** The value is in seconds. */
export function durationOption(flag: string, describe: string): Option {
  return new Option(flag, describe).argParser((text) => {
    const [, number, unit = ''] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? []
    const seconds = unitSeconds[unit]
    if (seconds === undefined)
      throw new InvalidArgumentError('It must be a whole number with a unit: 90m, 36h, 2d.')
    return Number(number) * seconds
  })
}

/** `3 days 4 h`, `2 h 10 min`, `40 s`. */
export function describeDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [days, hours, minutes] = [86_400, 3600, 60].map((unit) => Math.floor(whole / unit))
  if (days !== undefined && days > 0) return `${days} ${days === 1 ? 'day' : 'days'} ${(hours ?? 0) % 24} h`
  if (hours !== undefined && hours > 0) return `${hours} h ${(minutes ?? 0) % 60} min`
  return minutes !== undefined && minutes > 0 ? `${minutes} min` : `${whole} s`
}
