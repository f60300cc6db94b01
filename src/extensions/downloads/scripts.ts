/** The scripts of pages, by their name in templates/: `npm run generate` bundles them. */
export const scripts: Readonly<Record<string, string>> = {
  'downloads/days.js': './browser/days.ts',
}
