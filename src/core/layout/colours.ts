/** The company's colours on the pages: their contrast, and their rules of CSS. Pure. */

import type { Publisher } from '../api/contract/page.ts'

type Theme = 'light' | 'dark'

/** Backgrounds of links in `templates/pages/style.css`: paper, sunken, raised. A test compares both. */
export const pageBackgrounds: Readonly<Record<Theme, readonly string[]>> = {
  light: ['#ffffff', '#f4f6f7', '#ffffff'],
  dark: ['#11161b', '#191f26', '#1c232b'],
}

/** Of lines in `templates/pages/style.css`, where no accent is set. A test compares both. */
export const seriesColours: Readonly<Record<Theme, readonly string[]>> = {
  light: ['#0b7a78', '#b5541c', '#22269e', '#b266e0', '#4a3410'],
  dark: ['#4fc4ba', '#f0945a', '#4c6cf5', '#cc3f9f', '#e6f04a'],
}

/** Between text and background. Source: WCAG 2.2, success criterion 1.4.3 (level AA). */
export const minContrast = 4.5

/** @param colour `#rrggbb` @returns the background with the least contrast, and that contrast (1 to 21) */
export function leastContrast(colour: string, theme: Theme) {
  const found = pageBackgrounds[theme].map((background) => ({
    background,
    ratio: contrast(colour, background),
  }))
  return found.reduce((least, each) => (each.ratio < least.ratio ? each : least))
}

/** Source: WCAG 2.2, contrast ratio. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** From 0 to 1. Source: WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = lightOf(colour)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Red, green and blue, each from 0 to 1, in proportion to light. Source: IEC 61966-2-1 (sRGB). */
const lightOf = (colour: string): readonly number[] =>
  [1, 3, 5].map((start) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })

/** The colours of lines, the accent first: the usual first one stands for the one that readers would confuse with the accent. */
export function seriesWith(accent: string, theme: Theme): readonly string[] {
  const usual = seriesColours[theme]
  const near = usual.reduce((nearest, each) =>
    difference(each, accent) < difference(nearest, accent) ? each : nearest,
  )
  return usual.map((each, index) => {
    if (index === 0) return accent
    return each === near ? (usual[0] ?? accent) : each
  })
}

/** As people see it: from 0 to about 1. */
function difference(one: string, other: string): number {
  const seen = oklab(other)
  return Math.hypot(...oklab(one).map((value, index) => value - (seen[index] ?? 0)))
}

/** Source: Björn Ottosson, A perceptual color space for image processing, 2020. */
function oklab(colour: string): readonly number[] {
  const mixed = (values: readonly number[]) => (weights: readonly number[]) =>
    weights.reduce((sum, weight, index) => sum + weight * (values[index] ?? 0), 0)
  const cones = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ].map(mixed(lightOf(colour)))
  return [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ].map(mixed(cones.map(Math.cbrt)))
}

/** Rules after `style.css`; '' without colours. Text on the accent is readable: backgrounds are not darker. */
export function colourRules(publisher: Publisher | null): string {
  const { light = null, dark = null } = publisher?.accent ?? {}
  const rule = (colour: string, theme: Theme) => {
    const series = seriesWith(colour, theme).map((each, index) => `--series-${index + 1}: ${each};`)
    return `:root { --accent: ${colour}; --accent-wash: var(--sunken); ${series.join(' ')} }`
  }
  const rules = [
    light !== null && `@media not (prefers-color-scheme: dark) { ${rule(light, 'light')} }\n`,
    dark !== null && `@media (prefers-color-scheme: dark) { ${rule(dark, 'dark')} }\n`,
  ].filter((text) => text !== false)
  return rules.length === 0 ? '' : `\n/* Colours of the settings (site). */\n${rules.join('')}`
}
