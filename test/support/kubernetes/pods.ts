/** Runs pods of a cron job as processes: command, arguments and environment are those of the YAML, its volumes are folders. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended, installLauncher, type Ended } from '../../cli/run.ts'
import type { TempFolder } from '../product.ts'
import { writeWarmProgram } from '../warm-program.ts'
import { cronJob, type Container, type KubernetesObject, type Tree } from './kustomize.ts'

interface PodOptions {
  /** The name of its Job, which is its UID, too. */
  readonly job?: string
  /** Of an Indexed Job, from 0. */
  readonly index?: number
  /** More arguments, as somebody gives them by hand. */
  readonly args?: readonly string[]
}

export interface Pod {
  readonly end: Promise<Ended>
  /** As the kernel does when memory runs out, and the cluster when a node goes away. */
  readonly kill: () => void
}

let clusters = 0

type Data = Readonly<Record<string, string>>

/** @param secret what the Secret `fundpress` holds */
export function makeCluster(objects: readonly KubernetesObject[], folder: TempFolder, secret: () => Data) {
  const ownPrograms = installLauncher(folder.file('bin'))
  const kept = folder.file(`fundpress-${++clusters}`)
  const warmPrograms = `${installLauncher(`${kept}-bin`, `${kept}.mjs`)}:${ownPrograms}`
  writeWarmProgram(`${kept}.mjs`, `${kept}.orders`)
  let pods = 0

  function start(
    name: string,
    { job = `${name}-1`, index, args = [] }: PodOptions = {},
    programs = ownPrograms,
  ): Pod {
    const { spec } = cronJob(objects, name).jobTemplate.spec.template
    const pod = `${job}-${pods++}`
    const labels: Data = { 'batch.kubernetes.io/controller-uid': job }
    const folders = new Map(
      spec.volumes.map((volume) => {
        const { claimName } = (volume['persistentVolumeClaim'] ?? {}) as { readonly claimName?: string }
        return [volume.name, folder.file(claimName ?? join(pod, volume.name))] as const
      }),
    )
    for (const path of folders.values()) mkdirSync(path, { recursive: true })
    let running: ChildProcess | undefined

    function begin(container: Container, more: readonly string[]): ChildProcess {
      const places = new Map(
        container.volumeMounts.map((one) => [one.mountPath, folders.get(one.name) ?? '']),
      )
      // The longest first: one path can be the beginning of another one.
      const paths = [...places.keys()].sort().reverse().join('|')
      const mapped = (text: string) =>
        text.replace(new RegExp(`(?<![\\w.])(${paths})(?![\\w-])`, 'g'), (path) => places.get(path) ?? path)
      for (const { name: volume, configMap } of spec.volumes)
        for (const [file, text] of Object.entries(configMap === undefined ? {} : dataOf(configMap as Tree)))
          writeFileSync(join(folders.get(volume) ?? '', file), soon(mapped(text)))
      const valueOf = ({ value, valueFrom }: NonNullable<Container['env']>[number]) => {
        const { fieldPath = '' } = (valueFrom?.['fieldRef'] ?? {}) as { readonly fieldPath?: string }
        const [, label = ''] = /^metadata\.labels\['(.*)'\]$/.exec(fieldPath) ?? []
        return value ?? (fieldPath === 'metadata.name' ? pod : labels[label])
      }
      // A container has no other variables than these.
      const env = {
        PATH: `${programs}:/usr/bin:/bin`,
        HOME: '/',
        TMPDIR: mapped('/tmp'),
        ...secret(),
        ...Object.fromEntries((container.env ?? []).map((one) => [one.name, valueOf(one)])),
        ...(index === undefined ? {} : { JOB_COMPLETION_INDEX: String(index) }),
      }
      const [command = '', ...words] = [...(container.command ?? ['fundpress']), ...container.args, ...more]
      const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
      // A group of its own, so that it can be killed with its children.
      running = spawn(mapped(command), words.map(mapped), {
        cwd: mapped(container.workingDir),
        env,
        stdio,
        detached: true,
      })
      return running
    }

    async function runAll(): Promise<Ended> {
      const [container] = spec.containers as readonly [Container]
      for (const one of spec.initContainers ?? []) {
        const done = await ended(begin(one, []))
        if (done.code !== 0) return done
      }
      return ended(begin(container, args))
    }
    return { end: runAll(), kill: () => process.kill(-(running?.pid ?? NaN), 'SIGKILL') }
  }

  function dataOf({ name }: Tree): Data {
    const map = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)
    return (map?.['data'] ?? {}) as Data
  }

  return {
    /** The folder of a claim. */
    claim: (name: string) => folder.file(name),
    /** To be watched and killed. */
    start: (name: string, options?: PodOptions) => start(name, options),
    /** Starts a pod and waits for its end. */
    run: (name: string, options?: PodOptions) => start(name, options, warmPrograms).end,
  }
}

/** Tests do not wait for seconds. */
const soon = (script: string) => script.replace('sleep 5\n', 'sleep 0.1\n')
