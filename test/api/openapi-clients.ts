/** Tools of others that read the OpenAPI document, and how TypeScript compiles the clients that they make. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'

/** Where the tools lie: `.ci/run` installs them beside the project, since they are 150 MB. */
export const tools = join(process.env['FUNDPRESS_TEST_OPENAPI'] ?? '', 'node_modules')

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program of Node in a folder. The event loop goes on: the server that it asks may be in this process. */
export const node = (cwd: string, args: readonly string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      NO_COLOR: '1',
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    }
    execFile(process.execPath, args, { cwd, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr })
    })
  })

/** By the name of their block on the page "Clients", with the program of each below `node_modules`. */
export const generators = [
  ['openapi-fetch', 'openapi-typescript', 'openapi-typescript/bin/cli.js'],
  ['hey-api', '@hey-api/openapi-ts', '@hey-api/openapi-ts/bin/run.js'],
] as const

/** For programs and generated clients: strict, and as bundlers find modules. */
export const compilerOptions = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  strict: true,
  // The declarations of libraries are theirs.
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noEmit: true,
}
