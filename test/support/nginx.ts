/** The real nginx on a loopback port, with what `fundpress edge nginx-…` wrote. Needs no rights but to its own folder. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePorts } from './ports.ts'
import { makeTempFolder, mustRun } from './product.ts'

export type Nginx = Awaited<ReturnType<typeof startNginx>>

interface NginxOptions {
  /** What follows `fundpress edge nginx-…`: --out, or --bucket and its kin. */
  readonly args: readonly string[]
  /** Read by the edge instead of /etc/nginx/fundpress/credentials. */
  readonly credentials?: { readonly AWS_ACCESS_KEY_ID: string; readonly AWS_SECRET_ACCESS_KEY: string }
  /** 1, unless given. */
  readonly workers?: number
  /** More of `server {}`: a location of a benchmark for example. */
  readonly locations?: string
  /** What to write in place of other text, in `fundpress/locations.conf`. */
  readonly settings?: Readonly<Record<string, string>>
  /** How much of an answer the kernel takes from nginx before the client reads, for example 64k; its own choice unless given. */
  readonly sendBuffer?: string
  /** Of `fundpress edge nginx-…`. */
  readonly env?: Readonly<Record<string, string>>
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
export const whyNoNginx =
  binary === undefined || modulePath === undefined
    ? 'nginx or its njs module (libnginx-mod-http-js) is not installed'
    : undefined

/** Makes the deployment, and starts nginx on it. @throws {Error} with nginx's error log, if it does not start */
export async function startNginx({
  args,
  credentials,
  workers = 1,
  locations = '',
  settings = {},
  sendBuffer,
  env = {},
}: NginxOptions) {
  const folder = makeTempFolder()
  const port = await freePorts()
  const prefix = folder.file('nginx')
  await mustRun(['edge', 'nginx', ...args, '--port', String(port), '--dest', prefix, '--quiet'], { env })
  const edit = (path: string, change: (text: string) => string): void => {
    writeFileSync(join(prefix, path), change(readFileSync(join(prefix, path), 'utf8')))
  }
  const listen = `listen 127.0.0.1:${port}`
  edit('conf.d/fundpress.conf', (text) =>
    text
      .replace('/var/cache/nginx/fundpress', join(prefix, 'cache'))
      .replace('include fundpress/locations.conf;', (include) => `${include}\n${locations}`)
      .replace(`${listen};`, sendBuffer === undefined ? `${listen};` : `${listen} sndbuf=${sendBuffer};`),
  )
  for (const [text, other] of Object.entries(settings)) {
    edit('fundpress/locations.conf', (all) => {
      if (!all.includes(text)) throw new Error(`the configuration has no ${text}`)
      return all.replaceAll(text, other)
    })
  }
  edit('fundpress/edge.js', (text) => text.replaceAll('/etc/nginx/fundpress', join(prefix, 'fundpress')))
  const credentialsFile = join(prefix, 'fundpress/credentials')
  if (credentials !== undefined) {
    const lines = Object.entries(credentials).map(([name, value]) => `${name.toLowerCase()} = ${value}\n`)
    writeFileSync(credentialsFile, `[default]\n${lines.join('')}`)
  }
  const { base, pid, errors, stop } = await spawnNginx(prefix, port, workers)
  const putAside = (): number =>
    readdirSync(join(prefix, 'temp'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  return {
    /** http://127.0.0.1:port */
    base,
    /** Of the master; its children are the workers. */
    pid,
    /** What nginx and the edge complained of so far. */
    errors,
    /** Stands in for /etc/nginx/fundpress/credentials. */
    credentialsFile,
    /** What lies in the folder of answers that nginx has put aside, in bytes. */
    putAside,
    stop: async () => {
      await stop()
      folder.remove()
    },
  }
}

/** Starts nginx with the folder's `conf.d`, and waits for its answers. @throws {Error} with its log, if it does not start */
export async function spawnNginx(prefix: string, port: number, workers = 1) {
  writeFileSync(join(prefix, 'nginx.conf'), mainConfiguration(workers))
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
  for (let wait = 0; wait < 200 && child.exitCode === null; wait++) {
    const answered = await fetch(`${base}/`, { method: 'OPTIONS' }).catch(() => undefined)
    if (answered !== undefined) return { base, pid: child.pid ?? 0, errors, stop }
    await setTimeout(25)
  }
  await stop()
  throw new Error(`nginx does not start: ${errors()}`)
}

/** Started by root, the workers would be somebody who may not look into the folders of the tests. */
const mainConfiguration = (workers: number): string => `
load_module ${modulePath ?? ''};
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pid nginx.pid;
error_log error.log warn;
worker_processes ${workers};
worker_rlimit_nofile 8192;
events { worker_connections 2048; }
http {
  access_log off;
  client_body_temp_path temp/body;
  proxy_temp_path temp/proxy;
  fastcgi_temp_path temp/fastcgi;
  uwsgi_temp_path temp/uwsgi;
  scgi_temp_path temp/scgi;
  keepalive_requests 1000000;
  include conf.d/*.conf;
}
`
