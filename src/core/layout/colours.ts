/** The company's colours on the pages: their contrast, and their rules of CSS. Pure. */

import type { Publisher } from '../api/contract/page.ts'

type Theme = 'light' | 'dark'

/** Backgrounds of links in `templates/pages/style.css`: paper, sunken, raised. A test compares both. */
export const pageBackgrounds: Readonly<Record<Theme, readonly string[]>> = {
  light: ['#ffffff', '#f4f6f7', '#ffffff'],
  dark: ['#11161b', '#191f26', '#1c232b'],
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
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Rules after `style.css`; '' without colours. Text on the accent is readable: backgrounds are not darker. */
export function colourRules(publisher: Publisher | null): string {
  const { light = null, dark = null } = publisher?.accent ?? {}
  const rule = (colour: string) =>
    `:root { --accent: ${colour}; --accent-wash: var(--sunken); --series-1: ${colour}; }`
  const rules = [
    light !== null && `@media not (prefers-color-scheme: dark) { ${rule(light)} }\n`,
    dark !== null && `@media (prefers-color-scheme: dark) { ${rule(dark)} }\n`,
  ].filter((text) => text !== false)
  return rules.length === 0 ? '' : `\n/* Colours of the settings (site). */\n${rules.join('')}`
}
