/** The schema of the Kubernetes API, strictly: unknown fields are found, too. */
import { validate as ofCronJob } from 'kubernetes-models/_schemas/IoK8sApiBatchV1CronJob'
import { validate as ofConfigMap } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap'
import { validate as ofVolumeClaim } from 'kubernetes-models/_schemas/IoK8sApiCoreV1PersistentVolumeClaim'
import { validate as ofServiceAccount } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount'
import { validate as ofNetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy'
import type { KubernetesObject } from './kustomize.ts'

interface SchemaError {
  readonly instancePath: string
  readonly keyword: string
}
type Validate = ((data: unknown) => boolean) & { readonly errors?: readonly SchemaError[] | null }

const validators: Readonly<Record<string, Validate>> = {
  'v1 ConfigMap': ofConfigMap,
  'v1 PersistentVolumeClaim': ofVolumeClaim,
  'v1 ServiceAccount': ofServiceAccount,
  'batch/v1 CronJob': ofCronJob,
  'networking.k8s.io/v1 NetworkPolicy': ofNetworkPolicy,
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

/** The same value. @param unread has the paths of all fields that nobody has read yet */
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
