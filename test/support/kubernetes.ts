/** templates/kubernetes as a cluster gets them: rendered by kubectl, checked by the schema of the API, run as processes. */
import { execFileSync, spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate as ofDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment'
import { validate as ofCronJob } from 'kubernetes-models/_schemas/IoK8sApiBatchV1CronJob'
import { validate as ofConfigMap } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap'
import { validate as ofService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service'
import { validate as ofVolumeClaim } from 'kubernetes-models/_schemas/IoK8sApiCoreV1PersistentVolumeClaim'
import { validate as ofServiceAccount } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount'
import { validate as ofNetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy'
import { validate as ofDisruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget'
import { parseAllDocuments } from 'yaml'
import { ended, installLauncher, type Ended } from '../cli/run.ts'
import { repository, type TempFolder } from './product.ts'
import { lacks } from './programs.ts'
import { writeWarmProgram } from './warm-program.ts'

/** Anything that YAML can hold. */
export interface Tree {
  [key: string]: unknown
}
export interface KubernetesObject extends Tree {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { name: string; readonly labels?: Readonly<Record<string, string>> }
}

/** @returns what `kubectl apply -k` sends for a night. @param fetches whether the component is enabled, as README.md says */
export function kustomize(night: 'nightly' | 'sharded', folder: TempFolder, fetches = false) {
  if (lacks('kubectl')) return []
  const copy = folder.file(`${night}-${String(fetches)}`)
  cpSync(join(repository, 'templates/kubernetes'), copy, { recursive: true })
  const file = join(copy, night, 'kustomization.yaml')
  const text = readFileSync(file, 'utf8')
  if (fetches) writeFileSync(file, text.replace('# components:\n#   - ', 'components:\n  - '))
  return rendered(join(copy, night))
}

/** What `kubectl apply -k` sends for a folder. */
export function rendered(folder: string): readonly KubernetesObject[] {
  const made = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  return parseAllDocuments(made).map((document) => document.toJS() as KubernetesObject)
}

/** The fields of a pod that the templates use. */
export interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly args: readonly string[]
  readonly workingDir: string
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: Tree }[]
  readonly envFrom?: readonly Tree[]
  readonly volumeMounts: readonly {
    readonly name: string
    readonly mountPath: string
    readonly readOnly?: true
  }[]
  readonly securityContext: Tree
  readonly resources: { readonly requests: Tree; readonly limits: Tree }
}
export interface PodSpec extends Tree {
  readonly initContainers?: readonly Container[]
  readonly containers: readonly Container[]
  readonly volumes: readonly (Tree & { readonly name: string })[]
  readonly serviceAccountName: string
}
interface JobSpec {
  readonly completions?: number
  readonly parallelism?: number
  readonly backoffLimit: number
  readonly activeDeadlineSeconds: number
  readonly podFailurePolicy?: {
    readonly rules: readonly {
      readonly action: string
      readonly onExitCodes?: { readonly values: number[] }
    }[]
  }
  readonly template: { readonly metadata: { readonly labels: Tree }; readonly spec: PodSpec }
}
interface CronJobSpec {
  readonly schedule: string
  readonly timeZone: string
  readonly concurrencyPolicy: string
  readonly startingDeadlineSeconds: number
  readonly jobTemplate: { readonly spec: JobSpec }
}

/** The spec of a cron job. */
export function cronJob(objects: readonly KubernetesObject[], name: string): CronJobSpec {
  const found = objects.find(({ kind, metadata }) => kind === 'CronJob' && metadata.name === name)
  if (found === undefined) throw new Error(`there is no CronJob ${name}`)
  return found['spec'] as CronJobSpec
}

interface SchemaError {
  readonly instancePath: string
  readonly keyword: string
}
type Validate = ((data: unknown) => boolean) & { readonly errors?: readonly SchemaError[] | null }

const validators: Readonly<Record<string, Validate>> = {
  'v1 ConfigMap': ofConfigMap,
  'v1 PersistentVolumeClaim': ofVolumeClaim,
  'v1 Service': ofService,
  'v1 ServiceAccount': ofServiceAccount,
  'apps/v1 Deployment': ofDeployment,
  'batch/v1 CronJob': ofCronJob,
  'networking.k8s.io/v1 NetworkPolicy': ofNetworkPolicy,
  'policy/v1 PodDisruptionBudget': ofDisruptionBudget,
}

/**
 * The API server refuses unknown fields, but these validators pass over them. They read every field that they know, so a field
 * that is never read is unknown.
 * @returns a line for each mistake; none if all is right
 */
export function findMistakes(object: KubernetesObject): readonly string[] {
  const validate = validators[`${object.apiVersion} ${object.kind}`]
  if (validate === undefined) return [`${object.apiVersion} ${object.kind} is unknown here`]
  const unread = new Set<string>()
  validate(watched(object, '', unread))
  const mistakes = (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath}: ${keyword}`)
  return [...mistakes, ...[...unread].map((path) => `${path} is unknown`)]
}

/** @param unread gets the paths of all fields, and loses those that are read @returns the same value */
function watched<T>(value: T, path: string, unread: Set<string>): T {
  if (typeof value !== 'object' || value === null) return value
  const fields = new Map<string, unknown>()
  for (const key of Object.keys(value)) unread.add(`${path}/${key}`)
  return new Proxy(value, {
    get: (target, key) => {
      const found: unknown = Reflect.get(target, key)
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return found
      if (unread.delete(`${path}/${key}`)) fields.set(key, watched(found, `${path}/${key}`, unread))
      return fields.get(key) ?? found
    },
  })
}

interface PodOptions {
  /** The name of its Job, which is its UID, too. */
  readonly job?: string
  /** Of an Indexed Job, from 0. */
  readonly index?: number
  /** More arguments, as given by hand. */
  readonly args?: readonly string[]
}

interface Pod {
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
