/** The scripts of pages, by their name in templates/: `npm run generate` bundles them. */
export const scripts: Readonly<Record<string, string>> = {
  'docs/search.js': './browser/search.ts',
}
