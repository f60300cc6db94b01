#!/usr/bin/env node
// The launcher: refuses a Node that cannot run the program before anything of the program is loaded. Old syntax on
// purpose (no `??`, no top-level await), so that old Nodes get as far as the refusal instead of a syntax error.

const running = process.versions.node
const [major, minor] = running.split('.').map(Number)

if (Number(major) * 1000 + Number(minor) < 22018) {
  process.stderr.write(
    'fundpress: this is Node ' +
      running +
      '; it needs 22.18 or later (24 recommended): install that, or in a checkout run it as ' +
      '`npm run -s fundpress -- …`, which uses the pinned Node 24\n',
  )
  process.exitCode = 1
} else {
  import('../threads/compile-cache.mjs')
    .then(function (cache) {
      // Compiled code, types stripped, is kept for the next start: it halves what a night with nothing to do takes.
      cache.keepCompiledCode()
      // The compiler rewrites the ending for the package, which holds JavaScript only.
      return import('./main.ts')
    })
    .catch(function (error) {
      process.stderr.write(
        'fundpress: ' + String((error && error.message) || error).replace(/\s+/g, ' ') + '\n',
      )
      if (process.env.FUNDPRESS_DEBUG === '1') process.stderr.write(String(error && error.stack) + '\n')
      process.exitCode = 1
    })
}
