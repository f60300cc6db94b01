/**
 * From the package to the first answered request: does what the checklist of `fundpress setup` says, block by block, with a
 * real nginx and against Ceph's S3 server.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { editDatabase } from '../support/database.ts'
import { spawnNginx, whyNoNginx } from '../support/nginx.ts'
import { freePorts } from '../support/ports.ts'
import { execute, packCheckout, userEnvironment } from '../support/package.ts'
import { startServing, tempFolder } from '../support/product.ts'
import { isMissing, lacksAny } from '../support/programs.ts'
import { isComplete } from '../support/rounds.ts'
import { forEachStore } from '../support/s3/stores.ts'

type Environment = Readonly<Record<string, string | undefined>>

const folder = tempFolder()
const company =
  '--company Beispiel --base-url https://api.example.com --imprint https://example.com/imprint ' +
  '--privacy https://example.com/privacy --contact data@example.com'

describe.runIf(isComplete && !lacksAny('bash', 'find', 'jq', 'xargs'))('the checklist', () => {
  let tarball = ''
  /** The program, installed by the command that all checklists have. */
  const prefix = folder.file('global')
  const fundpress = join(prefix, 'bin/fundpress')
  const addProgram = (name: string, script: string) => {
    writeFileSync(folder.file(`bin/${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  beforeAll(async () => {
    ;({ tarball } = await packCheckout())
    const flags = ['--prefer-offline', '--no-audit', '--no-fund']
    execute('npm', ['install', '--global', '--prefix', prefix, ...flags, tarball], folder.path)
    mkdirSync(folder.file('bin'))
    // npm would install the same in each checklist again: it takes five seconds.
    addProgram('npm', npmWith(prefix, tarball))
    // Only root may run as another user: elsewhere this one stands for the user of the nights.
    if (process.getuid?.() !== 0) addProgram('runuser', 'shift 3\nexec "$@"')
  })

  const environment = (more: Environment = {}): Environment => {
    const { PATH, ...rest } = userEnvironment()
    return { ...rest, ...more, PATH: [more['PATH'], folder.file('bin'), PATH].filter(Boolean).join(':') }
  }

  it.skipIf(isMissing(whyNoNginx === undefined))(
    'of a server leads to an answer of nginx, and through the drills',
    async () => {
      const started = performance.now()
      const root = folder.file('root')
      const program = join(root, 'opt/fundpress/bin/fundpress')
      const port = await freePorts()
      const publicPort = await freePorts()
      const dest = folder.file('server')
      const place = `--root ${root} --user ${userInfo().username} --port ${port} --package ${tarball} --dest ${dest}`
      execute(fundpress, `setup server --yes ${company} ${place}`.split(' '), folder.path)
      const db = join(root, 'var/lib/fundpress/funds.sqlite')
      let nginx: Awaited<ReturnType<typeof spawnNginx>> | undefined
      let serve: Awaited<ReturnType<typeof startServing>> | undefined
      let seconds = 0
      let snapshot = ''
      const live = () =>
        JSON.parse(readFileSync(join(root, 'srv/fundpress/live.json'), 'utf8')) as { snapshot: string }
      // As systemd and nginx of the machine would do it.
      const startServers = async (block: string) => {
        if (block.includes('fundpress-serve.socket'))
          serve ??= await startServing(commandOf(join(root, 'etc/systemd/system'), port))
        if (block.includes('nginx -t'))
          nginx ??= await spawnNginx(withOwnPlaces(join(root, 'etc/nginx'), publicPort), publicPort)
      }
      try {
        for (const { kind, block } of blocksOf(dest)) {
          if (kind === 'machine') await startServers(block)
          if (kind === 'load')
            execute(program, ['init', '--demo', '--funds', '1', '--years', '1', '--db', db], dest)
          if (!['', 'load', 'proxy'].includes(kind)) continue
          if (block.includes(' rollback ')) {
            snapshot = live().snapshot
            // The second night, of a second load.
            editDatabase(db, `UPDATE fund SET name = name || ' II'`)
            execute(program, ['import', '--complete', '--db', db], dest)
            const night = ['--config', join(root, 'etc/fundpress/fundpress.config.json'), 'nightly']
            execute(program, night, dest)
            expect(live().snapshot).not.toBe(snapshot)
          }
          const own = kind === 'proxy' ? block.replaceAll(':80', `:${publicPort}`) : block
          const said = await runBlock(own, dest, environment())
          if (block.includes(' rollback ')) expect(said).toContain(snapshot)
          if (block.includes('setup --check')) expect(said).toMatch(/^ok +config /m)
          if (seconds === 0 && block.includes('curl ')) seconds = (performance.now() - started) / 1000
        }
        expect(nginx?.errors()).toBe('')
      } finally {
        await nginx?.stop()
        await serve?.stop()
      }
      expect(seconds).toBeGreaterThan(0)
      process.stdout.write(`from the package to the first answered request: ${seconds.toFixed(1)} s\n`)
    },
  )

  forEachStore((store) => {
    // Our own server shows the same in half a minute more.
    it.runIf(store.name === 'radosgw').each(['aws', 'cloudflare'])(
      'of %s leads to the first night, as far as a store goes',
      async (target) => {
        const started = performance.now()
        const env = environment({
          npm_config_prefix: folder.file(target),
          PATH: folder.file(`${target}/bin`),
        })
        const dest = folder.file(`${target}-${store.name.replace(' ', '-')}`)
        const own = target === 'aws' ? '' : ` --endpoint ${store.endpoint}`
        const place = `--bucket ${store.bucket} --region ${store.region} --prefix ${target} --database artifact:funds${own}`
        const words = `setup ${target} --yes ${company} ${place} --repository acme/funds --package ${tarball} --dest ${dest}`
        execute(fundpress, words.split(' '), folder.path)
        execute(fundpress, ['init', '--demo', '--funds', '2', '--years', '1', '--db', 'funds.sqlite'], dest)
        const override = {
          ...env,
          AWS_ACCESS_KEY_ID: store.accessKeyId,
          AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
          FUNDPRESS_BUCKET_ENDPOINT: store.endpoint,
          FUNDPRESS_BUCKET_PATH_STYLE: 'true',
        }
        for (const { kind, block } of blocksOf(dest)) {
          if (kind !== '' && kind !== 'load') continue
          // CloudFront's bucket is on AWS: only the commands that open it go to the store of the test.
          const said = await runBlock(block, dest, block.includes(' edge ') ? env : override)
          if (block.includes('fundpress plan')) expect(said).toMatch(/^changes +[\d,]+ to put, 0 to delete$/m)
        }
        const night = 'fundpress nightly --db funds.sqlite --since other'
        expect(await runBlock(night, dest, override)).toContain('is live in blue')
        expect(await runBlock(`${night} --ask`, dest, override)).toContain('nothing to do')
        const seconds = (performance.now() - started) / 1000
        process.stdout.write(
          `from the package to a night of ${target} on ${store.name}: ${seconds.toFixed(1)} s\n`,
        )
      },
    )
  })
})

/** What the unit of `serve` runs, at the address of its socket. @param folder of the installed units */
function commandOf(folder: string, port: number): readonly string[] {
  const unit = readFileSync(join(folder, 'fundpress-serve.service'), 'utf8')
  const socket = readFileSync(join(folder, 'fundpress-serve.socket'), 'utf8')
  expect(socket).toContain(`ListenStream=127.0.0.1:${port}\n`)
  const [, config = '', options = ''] = /^ExecStart=\S+ --config (\S+) serve (.+)$/m.exec(unit) ?? []
  return ['--config', config, ...options.split(' '), '--port', String(port)]
}

/** nginx of the test has a port and caches of its own. */
function withOwnPlaces(prefix: string, port: number): string {
  const file = join(prefix, 'conf.d/fundpress.conf')
  const text = readFileSync(file, 'utf8')
  for (const part of ['    listen 80;\n', ' /var/cache/nginx/']) expect(text).toContain(part)
  const own = text.replace('listen 80;', `listen 127.0.0.1:${port};`)
  const cache = join(prefix, 'cache')
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, own.replaceAll('/var/cache/nginx', cache))
  return prefix
}

/** In place of npm: knows only how to install that package, which is installed there already. */
const npmWith = (installed: string, tarball: string) => `set -eu
prefix=\${npm_config_prefix-}
[ "$1 $2" = 'install --global' ]
shift 2
if [ "$1" = --prefix ]; then prefix=$2; shift 2; fi
[ "$*" = '${tarball}' ]
mkdir -p "$prefix"
ln -s '${installed}/bin' '${installed}/lib' "$prefix"`

/** The shell blocks of a checklist, in their order. `kind`: what only an account or the machine can do, what is for a trial, or the end of a load; '' for all others. */
function blocksOf(dest: string) {
  const text = readFileSync(join(dest, 'SETUP.md'), 'utf8')
  return [...text.matchAll(/^```sh ?(.*)\n([^]*?)^```$/gm)].map(([, kind = '', block = '']) => ({
    kind,
    block,
  }))
}

/** @returns what it printed @throws {Error} with the block and what it printed, if a command of it fails */
async function runBlock(block: string, cwd: string, env: Environment): Promise<string> {
  try {
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', block], { cwd, env })).stdout
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`the checklist fails at:\n${block}${stdout}${stderr}`, { cause })
  }
}
