#!/usr/bin/env node
// The launcher: refuses a Node that cannot run the program. The syntax is old on purpose (no `??`, no top-level await), so
// that an old Node gets to the refusal instead of a syntax error.

import { setFlagsFromString } from 'node:v8'

const running = process.versions.node
const [major, minor] = running.split('.').map(Number)

if (Number(major) * 1000 + Number(minor) < 22018) {
  process.stderr.write(
    'fundpress: this is Node ' +
      running +
      '; fundpress needs 22.18 or later (24 recommended). Install that, or in a checkout use ' +
      '`npm run -s fundpress -- …`, which runs the pinned Node 24\n',
  )
  process.exitCode = 1
} else {
  // Else V8 lets so much garbage pile up that a night takes half as much memory again. Kept code is that of its flags: all come first.
  setFlagsFromString('--heap-growing-percent=50')
  // The main thread passes on what threads do. On a large machine V8 would let it pile up 128 MB of garbage meanwhile.
  setFlagsFromString('--semi-space-growth-factor=1')
  // Threads share the flags: they have their room for young objects from the start, as it does not grow.
  setFlagsFromString('--min-semi-space-size=16')
  import('./core/system/compile-cache.mjs')
    .then(function (cache) {
      // Halves the time of a nightly with nothing to do.
      cache.keepCompiledCode()
      // The compiler rewrites the extension: the package contains only JavaScript.
      return Promise.all([import('./core/cli/main.ts'), import('./extensions.ts')])
    })
    .then(function (modules) {
      return modules[0].main(modules[1].extensions)
    })
    .catch(function (error) {
      process.stderr.write(
        'fundpress: ' + String((error && error.message) || error).replace(/\s+/g, ' ') + '\n',
      )
      if (process.env.FUNDPRESS_DEBUG === '1') process.stderr.write(String(error && error.stack) + '\n')
      process.exitCode = 1
    })
}
