/** What `kubectl apply -k` makes of a folder of templates/kubernetes, as far as these folders use it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

/** Anything that YAML can hold. */
export interface Tree {
  [key: string]: unknown
}
export interface KubernetesObject extends Tree {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { name: string; readonly labels?: Readonly<Record<string, string>> }
}

/** With a target: a list of operations. Without: objects to delete. */
interface Patch {
  readonly path: string
  readonly target?: { readonly kind: string; readonly name: string }
}

interface Kustomization {
  readonly apiVersion: string
  readonly kind: string
  readonly resources?: readonly string[]
  readonly components?: readonly string[]
  readonly patches?: readonly Patch[]
  readonly images?: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[]
  readonly configMapGenerator?: readonly { readonly name: string; readonly files: readonly string[] }[]
}

const kustomizationFields = [
  ...['apiVersion', 'kind', 'resources', 'components', 'patches', 'images', 'configMapGenerator'],
]

/** @throws {Error} at a key that is there twice, and all else that is no YAML */
function readYaml(file: string): readonly KubernetesObject[] {
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
    for (const patch of readKustomization(join(folder, component)).patches ?? [])
      objects = patched(objects, patch, join(folder, component))
  const names = objects.map(nameOf)
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

function patched(objects: KubernetesObject[], { path, target }: Patch, folder: string): KubernetesObject[] {
  if (target !== undefined)
    return objects.map((object) => {
      if (object.kind !== target.kind || object.metadata.name !== target.name) return object
      return readOperations(join(folder, path)).reduce(operated, structuredClone(object))
    })
  const unwanted = readYaml(join(folder, path)).filter((patch) => patch['$patch'] === 'delete')
  const names = unwanted.map(nameOf)
  if (names.length === 0) throw new Error(`${folder}/${path} has no target`)
  return objects.filter((object) => !names.includes(nameOf(object)))
}

interface Operation {
  readonly op: string
  readonly path: string
  readonly value: unknown
}

const readOperations = (file: string) => parse(readFileSync(file, 'utf8')) as readonly Operation[]

/** Source: RFC 6902. */
function operated(object: KubernetesObject, { op, path, value }: Operation): KubernetesObject {
  const names = path.split('/').slice(1)
  const last = names.pop() ?? ''
  const place = names.reduce<unknown>((at, name) => (at as Tree)[name], object) as Tree
  const isThere = Object.hasOwn(place, last)
  const isWrong = op === 'test' && place[last] !== value
  if (isWrong || isThere === (op === 'add') || !/^(add|replace|test)$/.test(op))
    throw new Error(`${op} ${path} fails`)
  place[last] = value
  return object
}

const nameOf = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`

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
