/** A real S3 server on loopback: Ceph's gateway over one store in memory, from Debian's packages. Gone when stopped. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePorts } from '../ports.ts'
import { makeTempFolder } from '../product.ts'
import { isInPath } from '../programs.ts'

/** From the packages radosgw, ceph-mon, ceph-osd and what those need. */
const programs = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin']

export const missingPrograms = (): string[] => programs.filter((program) => !isInPath(program))

const pools = ['log', 'control', 'meta', 'buckets.index', 'buckets.data', 'buckets.non-ec']
  .map((name) => `default.rgw.${name}`)
  .concat('.rgw.root')
const patienceMs = 60_000

/** Takes about ten seconds. Another program may take a port before the monitor does: then it is started anew. */
export async function startRadosgw() {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce()
    } catch (error) {
      if (!(error instanceof MonitorEnded) || attempt === 3) throw error
    }
  }
}

class MonitorEnded extends Error {}

async function startOnce() {
  const { path: dir, remove } = makeTempFolder()
  for (const folder of ['mon', 'osd', 'run']) mkdirSync(join(dir, folder))
  const port = await freePorts()
  const monitorPort = port + 1
  const fsid = randomUUID()
  const osd = randomUUID()
  writeFileSync(join(dir, 'ceph.conf'), configuration(dir, port, monitorPort, fsid))
  const run = promisify(execFile)
  // For commands that still wait when everything ends.
  const ending = new AbortController()
  const env = { ...process.env, CEPH_CONF: join(dir, 'ceph.conf') }
  const options = { cwd: dir, env, timeout: patienceMs }
  const ceph = async (...args: string[]): Promise<string> =>
    (await run('ceph', args, { ...options, signal: ending.signal })).stdout
  const daemons: ChildProcess[] = []
  const start = (program: string, ...args: string[]): ChildProcess => {
    const words = ['-c', 'ceph.conf', ...args, '-f']
    const daemon = spawn(program, words, { ...options, timeout: 0, stdio: 'ignore' })
    daemons.push(daemon)
    return daemon
  }
  const stop = async (): Promise<void> => {
    ending.abort()
    for (const daemon of daemons.reverse()) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue
      const ended = once(daemon, 'exit')
      daemon.kill('SIGKILL')
      await ended
    }
    remove()
  }
  // A test process that ends early leaves no server behind.
  process.once('exit', () => daemons.forEach((daemon) => daemon.kill('SIGKILL')))

  try {
    const authtool = (...args: string[]) => run('ceph-authtool', ['keyring', '--gen-key', ...args], options)
    await authtool('--create-keyring', '-n', 'mon.', '--cap', 'mon', 'allow *')
    const caps = ['mon', 'osd', 'mgr'].flatMap((daemon) => ['--cap', daemon, 'allow *'])
    await authtool('-n', 'client.admin', ...caps)
    const address = `[v1:127.0.0.1:${monitorPort}]`
    await run('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', address, 'monmap'], options)
    const format = ['-c', 'ceph.conf', '--mkfs', '-i', 'a', '--monmap', 'monmap', '--keyring', 'keyring']
    await run('ceph-mon', format, options)
    const monitor = start('ceph-mon', '-i', 'a')
    // A daemon that starts before the monitor's map has arrived gives up with "wrong fsid": everything is tried again.
    await until('the monitor', () => {
      if (monitor.exitCode !== null) throw new MonitorEnded(`radosgw: the monitor ended: ${monitor.exitCode}`)
      return ceph('--connect-timeout', '2', 'osd', 'stat')
    })
    await until('the monitor', () => ceph('osd', 'new', osd))
    await run('ceph-osd', ['-c', 'ceph.conf', '-i', '0', '--mkfs', '--osd-uuid', osd], options)
    await until('the monitor', () =>
      ceph('osd', 'crush', 'add', 'osd.0', '1.0', 'host=localhost', 'root=default'),
    )
    let storing = start('ceph-osd', '-i', '0')
    await until('the store', async () => {
      if (storing.exitCode !== null) storing = start('ceph-osd', '-i', '0')
      if (!(await ceph('osd', 'stat')).includes('1 up')) throw new Error('it is not up')
    })
    const createPool = (pool: string) => ceph('osd', 'pool', 'create', pool, '4', '4')
    await Promise.all(pools.map((pool) => until(`pool ${pool}`, () => createPool(pool))))
    let gateway = start('radosgw', '-n', 'client.rgw')
    const endpoint = `http://127.0.0.1:${port}`
    await until('the gateway', () => {
      if (gateway.exitCode !== null) gateway = start('radosgw', '-n', 'client.rgw')
      return fetch(endpoint)
    })
    const credentials = { accessKeyId: 'TESTKEY', secretAccessKey: 'test-secret-key' }
    const keys = [`--access-key=${credentials.accessKeyId}`, `--secret-key=${credentials.secretAccessKey}`]
    const create = '-c ceph.conf -n client.rgw user create --uid=test --display-name=test'.split(' ')
    await until('the user', () => run('radosgw-admin', [...create, ...keys], options))
    return { endpoint, ...credentials, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** One copy, no authentication among the daemons, everything in memory. */
const configuration = (dir: string, port: number, monitorPort: number, fsid: string): string => `[global]
fsid = ${fsid}
mon_host = 127.0.0.1:${monitorPort}
public_addr = 127.0.0.1
ms_bind_ipv6 = false
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
keyring = ${dir}/keyring
run_dir = ${dir}/run
admin_socket = ${dir}/run/$name.$pid.asok
log_file = ${dir}/run/$name.log
mon_data = ${dir}/mon
osd_data = ${dir}/osd
osd_objectstore = memstore
memstore_device_bytes = 17179869184
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
paxos_propose_interval = 0.05
rgw_frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw_enable_usage_log = false
`

async function until(what: string, attempt: () => Promise<unknown>): Promise<void> {
  for (const start = Date.now(); ;) {
    try {
      await attempt()
      return
    } catch (cause) {
      if (cause instanceof MonitorEnded) throw cause
      if (Date.now() - start > patienceMs) throw new Error(`radosgw: ${what} did not come up`, { cause })
      await setTimeout(100)
    }
  }
}
