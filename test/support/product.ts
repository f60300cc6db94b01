/** The product through its front door: the command line, the server as a port. Imports nothing of src/. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { repository } from './folders.ts'
import { runWarm } from './warm.ts'

export { makeTempFolder, repository, tempFolder, type TempFolder } from './folders.ts'

/** Where the error documents point in every build of the tests. */
export const docsUrl = 'https://docs.example.org'

/** For the builds of tests that count objects and requests; tests of pages switch them on. */
export const withoutPages = { FUNDPRESS_PAGES: 'false', FUNDPRESS_DOWNLOADS: 'false' }

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
}

/** Runs `fundpress <args>` in the repository's root and waits for its end. */
export async function runFundpress(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { code, stdout, stderr } = await runWarm({ args, cwd: repository, env: environmentOf(options) })
  return { code, stdout, stderr }
}

/** The same, for a run that must succeed; returns what it wrote to stdout. */
export async function mustRun(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runFundpress(args, options)
  if (code !== 0) throw new Error(`fundpress ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`)
  return stdout
}

export type Server = Awaited<ReturnType<typeof startServing>>

/** Starts `serve` on a free port and resolves once it says where it listens. */
export function startServer(out: string, extraArgs: readonly string[] = []) {
  return startServing(['--out', out, ...extraArgs])
}

/** The same with a source of its own: a bucket for example. @param options `checkout`: another one than this */
export async function startServing(
  args: readonly string[],
  options: RunOptions & { readonly checkout?: string } = {},
) {
  const child = spawn(process.execPath, ['src/fundpress.mjs', 'serve', '--port', '0', ...args], {
    cwd: options.checkout ?? repository,
    env: environmentOf(options),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  const base = await new Promise<string>((resolve, reject) => {
    let said = ''
    const listen = (chunk: Buffer): void => {
      said += chunk.toString()
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
      if (url !== undefined) resolve(url)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
    child.once('close', (code) => {
      reject(new Error(`fundpress serve ended with ${code}: ${said}`))
    })
  })
  return {
    /** For example http://127.0.0.1:41234 */
    base,
    pid: child.pid ?? 0,
    /** What it complained of so far. */
    errors: () => complaints,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
    },
  }
}

function environmentOf({ env = {} }: RunOptions): Record<string, string | undefined> {
  // A developer's own FUNDPRESS_ variables must not reach the tests.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('FUNDPRESS_'))
  const noWaiting = { FUNDPRESS_BUCKET_GRACE_SECONDS: '0' }
  const own = { NO_COLOR: '1', FUNDPRESS_DOCS_URL: docsUrl, ...withoutPages, ...noWaiting }
  return { ...Object.fromEntries(inherited), ...own, ...env }
}

/** How long an edge may answer from a slot that was live, as an environment variable. */
export const liveTtl = (seconds: number) => ({ FUNDPRESS_EDGE_LIVE_TTL_SECONDS: String(seconds) })

/** Flags that make a publish accept what its guards refuse. */
export const forced = ['--force', '--reason', 'a test'] as const
