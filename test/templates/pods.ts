/** Runs pods of a cron job as processes: command, arguments and environment are those of the YAML, its volumes are folders. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended, launcher, type Ended } from '../cli/run.ts'
import type { TempFolder } from '../support/product.ts'
import { cronJob, type Container, type KubernetesObject, type Tree } from './kustomize.ts'

interface PodOptions {
  /** The name of its Job. */
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

type Data = Readonly<Record<string, string>>

/** @param secret what the Secret `fundpress` holds */
export function makeCluster(objects: readonly KubernetesObject[], folder: TempFolder, secret: () => Data) {
  const programs = folder.file('bin')
  writeAll(programs, { fundpress: `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n` })
  chmodSync(join(programs, 'fundpress'), 0o755)
  let pods = 0

  function start(name: string, { job = `${name}-1`, index, args = [] }: PodOptions = {}): Pod {
    const { spec } = cronJob(objects, name).jobTemplate.spec.template
    const [container] = spec.containers as readonly [Container]
    const pod = `${job}-${pods++}`
    const folders = new Map(
      spec.volumes.map((volume) => {
        const { claimName } = (volume['persistentVolumeClaim'] ?? {}) as { readonly claimName?: string }
        return [volume.name, claimName ?? join(pod, volume.name)] as const
      }),
    )
    const places = new Map(
      container.volumeMounts.map((one) => [one.mountPath, folder.file(folders.get(one.name) ?? 'none')]),
    )
    // The longest first: one path can be the beginning of another one.
    const paths = [...places.keys()].sort().reverse().join('|')
    const mapped = (text: string) =>
      text.replace(new RegExp(`(?<![\\w.])(${paths})(?![\\w-])`, 'g'), (path) => places.get(path) ?? path)
    for (const { name: volume, configMap } of spec.volumes) {
      const data = configMap === undefined ? {} : dataOf(configMap as Tree)
      const texts = Object.entries(data).map(([file, text]) => [file, soon(mapped(text))])
      writeAll(folder.file(folders.get(volume) ?? 'none'), Object.fromEntries(texts) as Data)
    }
    const [command = '', ...words] = [...(container.command ?? ['fundpress']), ...container.args, ...args]
    const labels: Data = { 'batch.kubernetes.io/job-name': job }
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
    const child = spawn(mapped(command), words.map(mapped), {
      cwd: mapped(container.workingDir),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that it can be killed with its children.
      detached: true,
    })
    return { end: ended(child), kill: () => process.kill(-(child.pid ?? NaN), 'SIGKILL') }
  }

  function dataOf({ name }: Tree): Data {
    const map = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)
    return (map?.['data'] ?? {}) as Data
  }

  return {
    /** The folder of a claim. */
    claim: (name: string) => folder.file(name),
    start,
    /** Starts a pod and waits for its end. */
    run: (name: string, options?: PodOptions) => start(name, options).end,
  }
}

/** Tests do not wait for seconds. */
const soon = (script: string) => script.replace('do sleep 5;', 'do sleep 0.1;')

function writeAll(folder: string, files: Data): void {
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
}
