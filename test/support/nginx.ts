/** The real nginx on a loopback port. Needs no rights but to its own folder. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePorts } from './ports.ts'
import { makeTempFolder, mustRun, startServing } from './product.ts'

export type Nginx = Awaited<ReturnType<typeof startNginx>>

interface NginxOptions {
  /** Where `fundpress serve` listens: http://127.0.0.1:port */
  readonly serve: string
  /** More of `fundpress edge nginx`. */
  readonly args?: readonly string[]
  /** Its environment. */
  readonly env?: Readonly<Record<string, string>>
  /** 1, unless given. */
  readonly workers?: number
  /** What to write in place of other text, in `conf.d/fundpress.conf`. */
  readonly settings?: Readonly<Record<string, string>>
}

const firstOf = (folders: string, file: string) =>
  folders
    .split(' ')
    .map((folder) => join(folder, file))
    .find(existsSync)
const binary = firstOf('/usr/sbin /usr/local/sbin /usr/bin', 'nginx')
const modulePath = firstOf(
  '/usr/lib/nginx/modules /usr/lib64/nginx/modules /usr/share/nginx/modules',
  'ngx_http_js_module.so',
)

/** Why nginx cannot be tested here, if it cannot. */
export const whyNoNginx = binary === undefined ? 'nginx is not installed' : undefined
/** Whether nginx sees all lines of a header that comes twice; before 1.23 only the first of `Accept` and its kin. */
export function seesAllLines(): boolean {
  const { stderr } = spawnSync(binary ?? 'nginx', ['-v'], { encoding: 'utf8' })
  const [, major = '0', minor = '0'] = /nginx\/(\d+)\.(\d+)/.exec(stderr) ?? []
  return Number(major) > 1 || Number(minor) >= 23
}
/** The same of njs, in which CloudFront's functions run. */
export const whyNoNjs =
  whyNoNginx ?? (modulePath === undefined ? 'libnginx-mod-http-js is not installed' : undefined)

/** Starts nginx on what `fundpress edge nginx` writes, before a server that runs. @throws {Error} with nginx's error log, if it does not start */
export async function startNginx({ serve, args = [], env, workers = 1, settings = {} }: NginxOptions) {
  const folder = makeTempFolder()
  const port = await freePorts()
  const prefix = folder.file('nginx')
  await mustRun(['edge', 'nginx', '--port', new URL(serve).port, ...args, '--dest', prefix, '--quiet'], {
    env: { ...env, FUNDPRESS_BASE_URL: `http://127.0.0.1:${port}` },
  })
  const file = join(prefix, 'conf.d/fundpress.conf')
  const cache = join(prefix, 'cache')
  mkdirSync(cache)
  const edits = Object.entries({
    '/var/cache/nginx': cache,
    [`listen ${port};`]: `listen 127.0.0.1:${port};`,
    ...settings,
  })
  const text = edits.reduce(
    (all, [old, other]) => {
      if (!all.includes(old)) throw new Error(`the configuration has no ${old}`)
      return all.replaceAll(old, other)
    },
    readFileSync(file, 'utf8'),
  )
  writeFileSync(file, text)
  const { base, pid, errors, stop } = await spawnNginx(prefix, port, workers)
  const filesIn = (place: string) =>
    readdirSync(join(prefix, place), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
  return {
    /** http://127.0.0.1:port */
    base,
    /** Of the master; its children are the workers. */
    pid,
    /** What nginx complained of so far. */
    errors,
    /** How many answers the caches have. */
    kept: () => filesIn('cache').length,
    /** Bytes of the caches on the disk, in blocks as `du` counts them; a file that goes away meanwhile counts nothing. */
    keptBytes: () =>
      filesIn('cache').reduce((sum, each) => {
        const { blocks = 0 } = statSync(each, { throwIfNoEntry: false }) ?? {}
        return sum + blocks * 512
      }, 0),
    /** What lies in the folder of answers that nginx has put aside, in bytes. */
    putAside: () => filesIn('temp').reduce((sum, each) => sum + statSync(each).size, 0),
    stop: async () => {
      await stop()
      folder.remove()
    },
  }
}

/** `fundpress serve`, and nginx before it. @param args of `serve` */
export async function startBehindNginx(args: readonly string[], options: Omit<NginxOptions, 'serve'> = {}) {
  // As the unit does that `fundpress edge nginx` writes.
  const serve = await startServing([...args, '--trusted-proxies', '127.0.0.1'], { env: options.env ?? {} })
  const nginx = await startNginx({ workers: 2, ...options, serve: serve.base })
  return {
    ...nginx,
    serve,
    stop: async () => {
      await nginx.stop()
      await serve.stop()
    },
  }
}

/** Starts nginx with the folder's `conf.d`, and waits for its answers. @param hasNjs for CloudFront's functions @throws {Error} with its log, if it does not start */
export async function spawnNginx(prefix: string, port: number, workers = 1, hasNjs = false) {
  writeFileSync(join(prefix, 'nginx.conf'), mainConfiguration(workers, hasNjs))
  mkdirSync(join(prefix, 'temp'))
  const log = join(prefix, 'error.log')
  const errors = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '')
  const child = spawn(binary ?? 'nginx', ['-p', prefix, '-c', join(prefix, 'nginx.conf'), '-e', log], {
    stdio: 'ignore',
  })
  const closed = once(child, 'close')
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await closed
  }
  const base = `http://127.0.0.1:${port}`
  for (const end = Date.now() + 60_000; Date.now() < end && child.exitCode === null;) {
    const answered = await fetch(`${base}/`, { method: 'OPTIONS' }).catch(() => undefined)
    if (answered !== undefined) return { base, pid: child.pid ?? 0, errors, stop }
    await setTimeout(25)
  }
  await stop()
  throw new Error(`nginx does not start: ${errors()}`)
}

/** Started by root, the workers would be somebody who may not look into the folders of the tests. */
const mainConfiguration = (workers: number, hasNjs: boolean): string => `
${hasNjs ? `load_module ${modulePath ?? ''};` : ''}
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pcre_jit on;
pid nginx.pid;
error_log error.log warn;
worker_processes ${workers};
worker_rlimit_nofile 8192;
events { worker_connections 2048; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path temp/body;
  proxy_temp_path temp/proxy;
  fastcgi_temp_path temp/fastcgi;
  uwsgi_temp_path temp/uwsgi;
  scgi_temp_path temp/scgi;
  keepalive_requests 1000000;
  include conf.d/*.conf;
}
`
