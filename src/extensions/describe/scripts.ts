/** The scripts of pages, by their name in templates/: `npm run generate` bundles them. */
export const scripts: Readonly<Record<string, string>> = {
  'docs/docs.js': './browser/docs.ts',
  'docs/explorer.js': './browser/explorer.ts',
  'docs/search.js': './browser/search.ts',
}
