/** Splitting a whole into percents with two decimals that add up to exactly 100. */

import type { Draws } from '../system/random.ts'
import type { Name } from './words.ts'

/** One entry of a breakdown or list, counted in hundredths of a percent so that sums are exact. */
export interface Share {
  readonly name: Name
  readonly hundredths: number
}

export const wholeHundredths = 10_000

/** By the largest remainder: hundredths proportional to the weights, `whole` in total. */
export function hundredthsOf(weights: readonly number[], whole = wholeHundredths): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const exact = weights.map((weight) => (weight / total) * whole)
  const missing = whole - exact.reduce((sum, value) => sum + Math.floor(value), 0)
  const byRemainder = exact
    .map((value, i) => ({ i, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.i - b.i)
  const rounded = new Set(byRemainder.slice(0, missing).map(({ i }) => i))
  return exact.map((value, i) => Math.floor(value) + (rounded.has(i) ? 1 : 0))
}

export const withNames = (names: readonly Name[], hundredths: readonly number[]): readonly Share[] =>
  names.map((name, i) => ({ name, hundredths: hundredths[i] ?? 0 }))

/** All names in their own order (years, sizes), with weights that vary. */
export const inOrder = (random: Draws, names: readonly Name[]): readonly Share[] =>
  withNames(names, hundredthsOf(names.map(() => random.between(0.25, 1.6))))

/** The largest first; each weighs about `ratio` of the one before. Earlier names tend to be larger. */
export function ranked(random: Draws, names: readonly Name[], ratio: number): readonly Share[] {
  let level = 1
  const weights = names.map(() => (level *= ratio) * random.between(0.7, 1.3))
  return largestFirst(withNames(names, hundredthsOf(weights)))
}

export const largestFirst = (shares: readonly Share[]): readonly Share[] =>
  shares.toSorted((a, b) => b.hundredths - a.hundredths)

/** Moves hundredths from one entry to another, as a derivative does; entries may fall below nothing. */
export const shifted = (shares: readonly Share[], from: number, to: number, hundredths: number) =>
  shares.map((share, i): Share => {
    const change = i === from ? -hundredths : i === to ? hundredths : 0
    return { ...share, hundredths: share.hundredths + change }
  })

/** `units` of the last digit as plain decimal text: 1234567 with 2 decimals is '12345.67'. */
export function decimalText(units: number, decimals: 2 | 4): string {
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0')
  return `${units < 0 ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** 0.0525 as '5.25'. */
export const percentText = (fraction: number): string => decimalText(Math.round(fraction * 10_000), 2)

/** 0.0525 as 5.25, rounded to 2 decimals, never -0. */
export const roundedPercent = (fraction: number): number => (Math.round(fraction * 10_000) || 0) / 100

/** German figure text: 12.34 as '12,34'. */
export const commaText = (value: number): string => decimalText(Math.round(value * 100), 2).replace('.', ',')
