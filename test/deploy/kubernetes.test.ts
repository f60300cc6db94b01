/** templates/kubernetes: valid objects, the restricted Pod Security Standard, and deadlines and exit codes that fit. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { repository, tempFolder } from '../support/product.ts'
import { cronJob, findMistakes, kustomize, type Container, type PodSpec } from '../support/kubernetes.ts'
import { lacks, shellcheck } from '../support/programs.ts'
import { known } from '../support/settings.ts'

const folder = tempFolder()
const root = join(repository, 'templates/kubernetes')
const variants = [
  { title: 'the simple night', objects: kustomize('nightly', folder) },
  { title: 'the simple night with fetch', objects: kustomize('nightly', folder, true) },
  { title: 'the sharded night', objects: kustomize('sharded', folder) },
  { title: 'the sharded night with fetch', objects: kustomize('sharded', folder, true) },
] as const
const { objects: sharded } = variants[2]
const containersOf = ({ initContainers = [], containers }: PodSpec) => [...initContainers, ...containers]

describe.each(lacks('kubectl') ? [] : variants)('$title', ({ objects }) => {
  const night = cronJob(objects, 'fundpress-nightly')
  const watch = cronJob(objects, 'fundpress-watch')
  const specs = [night, watch, cronJob(objects, 'fundpress-verify')]
  const pods = specs.map(({ jobTemplate }) => jobTemplate.spec.template)
  const containers = pods.flatMap(({ spec }) => containersOf(spec))

  it('has objects that the Kubernetes API accepts, and no namespace', () => {
    const mistakes = objects.map((object) => [object.metadata.name, findMistakes(object)])
    expect(mistakes).toEqual(objects.map(({ metadata }) => [metadata.name, []]))
    expect(objects.filter(({ metadata }) => 'namespace' in metadata)).toEqual([])
  })

  // Source: Kubernetes, "Pod Security Standards", Restricted. What is not listed here cannot weaken it.
  it('has pods of the restricted Pod Security Standard, with a read-only root and no token', () => {
    for (const { spec } of pods) {
      const allowed = 'serviceAccountName automountServiceAccountToken enableServiceLinks restartPolicy'
      const more = 'securityContext containers initContainers volumes terminationGracePeriodSeconds'
      expect(`${allowed} ${more}`.split(' ')).toEqual(expect.arrayContaining(Object.keys(spec)))
      expect(spec).toMatchObject({ automountServiceAccountToken: false, restartPolicy: 'Never' })
      const runAsNonRoot = true
      const seccompProfile = { type: 'RuntimeDefault' }
      const user = { runAsUser: 10001, runAsGroup: 10001, fsGroup: 10001 }
      expect(spec['securityContext']).toEqual({ runAsNonRoot, ...user, seccompProfile })
      const kinds = spec.volumes.flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name'))
      expect(['configMap', 'emptyDir', 'persistentVolumeClaim']).toEqual(expect.arrayContaining(kinds))
    }
    for (const container of containers) {
      const allowed =
        'name image command args workingDir env envFrom resources securityContext volumeMounts'.split(' ')
      expect(allowed).toEqual(expect.arrayContaining(Object.keys(container)))
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  it('refers only to objects that exist, and to all of them', () => {
    for (const { spec } of pods) {
      const mounted = containersOf(spec).flatMap((one) => one.volumeMounts.map(({ name }) => name))
      expect([...new Set(mounted)].sort()).toEqual(spec.volumes.map(({ name }) => name).sort())
    }
    const text = JSON.stringify(specs)
    const namesOf = (pattern: RegExp) =>
      [...new Set([...text.matchAll(pattern)].map(([, name]) => name))].sort()
    const there = (kind: string) =>
      objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name)
    expect(namesOf(/"configMap":\{"name":"(.*?)"/g)).toEqual(there('ConfigMap').sort())
    expect(namesOf(/"claimName":"(.*?)"/g)).toEqual(there('PersistentVolumeClaim').sort())
    expect(namesOf(/"serviceAccountName":"(.*?)"/g)).toEqual(there('ServiceAccount').sort())
    // The only thing that the operator makes by hand, if at all.
    expect(namesOf(/"secretRef":(\{.*?\})/g)).toEqual(['{"name":"fundpress","optional":true}'])
    const [policy] = objects.filter(({ kind }) => kind === 'NetworkPolicy')
    const { matchLabels } = (policy?.['spec'] as { podSelector: { matchLabels: object } }).podSelector
    for (const { metadata } of pods) expect(metadata.labels).toMatchObject(matchLabels)
  })

  it('limits memory and every temporary folder, and sets only settings that exist', () => {
    const variables = known.list.map(({ variable }) => variable)
    for (const { resources, env = [] } of containers) {
      expect(Object.keys(resources.limits)).toEqual(['memory'])
      // The schema takes any name here.
      expect(['cpu', 'memory', 'ephemeral-storage']).toEqual(
        expect.arrayContaining(Object.keys(resources.requests)),
      )
      const ours = env.map(({ name }) => name).filter((name) => name.startsWith('FUNDPRESS_'))
      expect(variables).toEqual(expect.arrayContaining(ours))
    }
    const folders = pods.flatMap(({ spec }) => spec.volumes.map((volume) => volume['emptyDir']))
    for (const folder of folders.filter((one) => one !== undefined))
      expect(folder).toEqual({ sizeLimit: expect.stringMatching(/^\d+[MG]i$/) as string })
  })

  it('starts its nights and guards one after the other, on the day of Berlin that they are due', () => {
    const attempts = timesOf(night)
    const guards = timesOf(watch)
    const lasts = night.jobTemplate.spec.activeDeadlineSeconds
    // Clocks change between 2 and 3. At a whole hour clusters are busy.
    for (const time of [...attempts, ...guards]) {
      expect(Math.floor(time / 3600)).not.toBe(2)
      expect(time % 3600).toBeGreaterThanOrEqual(600)
    }
    for (const [index, time] of attempts.entries())
      expect(time + lasts).toBeLessThan(attempts[index + 1] ?? guards[0] ?? 0)
    expect((attempts.at(-1) ?? Infinity) + night.startingDeadlineSeconds + lasts).toBeLessThan(guards[0] ?? 0)
    for (const { timeZone, concurrencyPolicy } of specs)
      expect({ timeZone, concurrencyPolicy }).toEqual({
        timeZone: 'Europe/Berlin',
        concurrencyPolicy: 'Forbid',
      })
  })

  it('fails a night at once by the exit codes that the program documents', async () => {
    const { stdout } = await run('--help', { cwd: repository })
    const codes = [...stdout.replace(/\s+/g, ' ').matchAll(/(\d) ([^,()]*?(?=[,.(]))/g)]
    const final = codes.filter(([, , meaning = '']) => /wrong usage|refused/.test(meaning))
    const { podFailurePolicy, backoffLimit } = night.jobTemplate.spec
    expect(final.map(([, code]) => Number(code))).toEqual([2, 3])
    expect(podFailurePolicy?.rules).toEqual([
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      { action: 'FailJob', onExitCodes: { operator: 'In', values: [2, 3] } },
    ])
    expect(backoffLimit).toBeGreaterThan(0)
  })
})

it.skipIf(lacks('kubectl'))('renders as many shards as there are pods, of which two can always run', () => {
  const {
    completions = 0,
    parallelism = 0,
    template,
  } = cronJob(sharded, 'fundpress-nightly').jobTemplate.spec
  const [{ env = [] }] = template.spec.containers as readonly [Container]
  expect(env.find(({ name }) => name === 'SHARDS')?.value).toBe(String(completions))
  expect(parallelism).toBeGreaterThanOrEqual(2)
  expect(parallelism).toBeLessThanOrEqual(completions)
  // A Job may be deleted and made anew under its name, with other settings.
  expect(JSON.stringify(env)).toContain('controller-uid')
})

it.skipIf(lacks('shellcheck'))('has a script that shellcheck has nothing against', () => {
  const script = readFileSync(join(root, 'sharded/pod.sh'), 'utf8')
  expect(shellcheck(script, '--enable=check-unassigned-uppercase')).toBe('')
})

/** Of each day, in seconds after midnight. */
function timesOf({ schedule }: { readonly schedule: string }): readonly number[] {
  const [, minute = '', hours = ''] = /^(\d+) ([\d,]+) \* \* [*0]$/.exec(schedule) ?? []
  return hours.split(',').map((hour) => Number(hour) * 3600 + Number(minute) * 60)
}
