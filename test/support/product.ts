/** The product through its front door: the command line as a process, the server as a port. Imports nothing of src/. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

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
  const child = spawnFundpress(args, options)
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: stdout(), stderr: stderr() }
}

/** The same, for a run that must succeed; returns what it wrote to stdout. */
export async function mustRun(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runFundpress(args, options)
  if (code !== 0) throw new Error(`fundpress ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`)
  return stdout
}

export interface Server {
  /** For example http://127.0.0.1:41234 */
  readonly base: string
  readonly stop: () => Promise<void>
}

/** Starts `serve` on a free port and resolves once it says where it listens. */
export function startServer(out: string, extraArgs: readonly string[] = []): Promise<Server> {
  return startServing(['--out', out, ...extraArgs])
}

/** The same with a source of its own: a bucket for example. */
export async function startServing(args: readonly string[], options: RunOptions = {}): Promise<Server> {
  const child = spawnFundpress(['serve', '--port', '0', ...args], options)
  const base = await new Promise<string>((resolve, reject) => {
    let said = ''
    const listen = (chunk: Buffer): void => {
      said += chunk.toString()
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
      if (url !== undefined) resolve(url)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('close', (code) => {
      reject(new Error(`fundpress serve ended with ${code}: ${said}`))
    })
  })
  return {
    base,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
    },
  }
}

export interface TempFolder {
  readonly path: string
  readonly file: (name: string) => string
  readonly remove: () => void
}

/** Where files are made and removed fastest: for tests that build again and again. */
export const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

export function makeTempFolder(parent = tmpdir()): TempFolder {
  const path = mkdtempSync(join(parent, 'fundpress-test-'))
  return {
    path,
    file: (name) => join(path, name),
    remove: () => {
      rmSync(path, { recursive: true, force: true })
    },
  }
}

function spawnFundpress(args: readonly string[], { env = {} }: RunOptions): ChildProcess {
  // A developer's own FUNDPRESS_ variables must not reach the tests.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('FUNDPRESS_'))
  return spawn(process.execPath, ['src/cli/fundpress.mjs', ...args], {
    cwd: repository,
    env: {
      ...Object.fromEntries(inherited),
      NO_COLOR: '1',
      FUNDPRESS_DOCS_URL: docsUrl,
      ...withoutPages,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function collect(stream: ChildProcess['stdout']): () => string {
  const chunks: Buffer[] = []
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}
