/** The scripts of pages, by their name in templates/: `npm run generate` bundles them. */
export const scripts: Readonly<Record<string, string>> = {
  'pages/compare.js': './funds/browser/compare.ts',
  'pages/find.js': './funds/browser/find.ts',
  'pages/fund.js': './funds/browser/fund.ts',
  'pages/list.js': './funds/browser/list.ts',
  'status/status.js': './status/browser/status.ts',
}
