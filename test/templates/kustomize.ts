/** What `kubectl apply -k` makes of a folder of templates/kubernetes, as far as these folders use it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

/** Anything that YAML can hold. */
export interface Tree {
  [key: string]: unknown
}
export interface KubernetesObject extends Tree {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { name: string; readonly labels?: Readonly<Record<string, string>> }
}

interface Kustomization {
  readonly apiVersion: string
  readonly kind: string
  readonly resources?: readonly string[]
  readonly components?: readonly string[]
  readonly patches?: readonly { readonly path: string }[]
  readonly images?: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[]
  readonly configMapGenerator?: readonly { readonly name: string; readonly files: readonly string[] }[]
}

const kustomizationFields = [
  ...['apiVersion', 'kind', 'resources', 'components', 'patches', 'images', 'configMapGenerator'],
]

/** @throws {Error} at a key that is there twice, and all else that is no YAML */
export function readYaml(file: string): readonly KubernetesObject[] {
  return parseAllDocuments(readFileSync(file, 'utf8'), { strict: true }).map((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new Error(`${file}: ${error.message}`)
    return document.toJS() as KubernetesObject
  })
}

/** The objects of a folder. Names get no hash. @param components more than the folder itself names */
export function kustomize(folder: string, components: readonly string[] = []): readonly KubernetesObject[] {
  const made = readKustomization(folder)
  let objects = (made.resources ?? []).flatMap((name) =>
    name.endsWith('.yaml') ? readYaml(join(folder, name)) : kustomize(join(folder, name)),
  )
  for (const { name, files } of made.configMapGenerator ?? []) {
    const data = Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
    objects.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })
  }
  for (const component of [...(made.components ?? []), ...components])
    for (const { path } of readKustomization(join(folder, component)).patches ?? [])
      for (const patch of readYaml(join(folder, component, path))) objects = patched(objects, patch)
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  if (new Set(names).size < names.length)
    throw new Error(`${folder}: twice there: ${names.sort().join(', ')}`)
  for (const { name, newName, newTag } of made.images ?? [])
    objects = objects.map((object) => withImage(object, `${name}:`, `${newName}:${newTag}`))
  return objects
}

function readKustomization(folder: string): Kustomization {
  const [made, ...others] = readYaml(join(folder, 'kustomization.yaml'))
  const unknown = Object.keys(made ?? {}).filter((key) => !kustomizationFields.includes(key))
  if (made === undefined || others.length + unknown.length > 0)
    throw new Error(`${folder}: ${unknown.join()}`)
  return made
}

function patched(objects: readonly KubernetesObject[], patch: KubernetesObject): KubernetesObject[] {
  const isMeant = ({ kind, metadata }: KubernetesObject) =>
    kind === patch.kind && metadata.name === patch.metadata.name
  if (!objects.some(isMeant))
    throw new Error(`a patch is for no object: ${patch.kind} ${patch.metadata.name}`)
  if (patch['$patch'] === 'delete') return objects.filter((object) => !isMeant(object))
  return objects.map((object) => (isMeant(object) ? (mergeTrees(object, patch) as KubernetesObject) : object))
}

/** A strategic merge: lists of things with names by name, null removes. */
function mergeTrees(before: unknown, patch: unknown): unknown {
  if (isNamedList(patch) && isNamedList(before)) {
    const others = patch.filter(({ name }) => !before.some((one) => one.name === name))
    const merged = before.map((one) => {
      const change = patch.find(({ name }) => name === one.name)
      return change === undefined ? one : mergeTrees(one, change)
    })
    return [...others, ...merged]
  }
  if (!isTree(patch) || !isTree(before)) return patch
  const keys = [...new Set([...Object.keys(before), ...Object.keys(patch)])]
  const entries = keys.map((key) => [key, key in patch ? mergeTrees(before[key], patch[key]) : before[key]])
  return Object.fromEntries(entries.filter(([, value]) => value !== null))
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isNamedList = (value: unknown): value is (Tree & { name: string })[] =>
  Array.isArray(value) && value.every((one) => isTree(one) && typeof one['name'] === 'string')

const withImage = (object: KubernetesObject, name: string, image: string) =>
  JSON.parse(JSON.stringify(object), (key, value: unknown) =>
    key === 'image' && typeof value === 'string' && value.startsWith(name) ? image : value,
  ) as KubernetesObject

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
export interface JobSpec {
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
export interface CronJobSpec {
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
