/** The scripts of pages, by their name in templates/: `npm run generate` bundles them. */
export const scripts: Readonly<Record<string, string>> = {
  'status/changes.js': './browser/changes.ts',
}
