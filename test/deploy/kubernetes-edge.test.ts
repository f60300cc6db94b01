/** templates/kubernetes/edge: `serve` and nginx in one pod, as README.md enables them. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  findMistakes,
  rendered,
  type KubernetesObject,
  type PodSpec,
  type Tree,
} from '../support/kubernetes.ts'
import { mustRun, repository, tempFolder } from '../support/product.ts'
import { lacks } from '../support/programs.ts'

const folder = tempFolder()
const root = join(repository, 'templates/kubernetes')

describe.skipIf(lacks('kubectl'))('the edge', () => {
  let objects: readonly KubernetesObject[]
  let pod: PodSpec

  beforeAll(async () => {
    const copy = folder.file('kubernetes')
    cpSync(root, copy, { recursive: true })
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const [, command = ''] = /^ *fundpress (edge nginx .*)$/m.exec(readme) ?? []
    const words = command.split(' ').map((word) => (/^base\/|^edge$/.test(word) ? join(copy, word) : word))
    // The first word is the command.
    await mustRun(['edge', ...words.slice(1)])
    const file = join(copy, 'nightly/kustomization.yaml')
    writeFileSync(file, `${readFileSync(file, 'utf8')}components:\n  - ../edge\n`)
    objects = rendered(join(copy, 'nightly'))
    pod = (named('Deployment')['template'] as { readonly spec: PodSpec }).spec
  })

  const named = (kind: string, name = 'fundpress-edge') => {
    const found = objects.find((object) => object.kind === kind && object.metadata.name === name)
    return (found?.['spec'] ?? {}) as Tree
  }

  it('has objects that the Kubernetes API accepts, and gives its containers no rights', () => {
    const ours = objects.filter(({ metadata }) => metadata.name === 'fundpress-edge')
    const kinds = ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service']
    expect(ours.map(({ kind }) => kind).sort()).toEqual(kinds)
    expect(ours.flatMap(findMistakes)).toEqual([])
    expect(pod).toMatchObject({
      securityContext: { runAsNonRoot: true, runAsUser: 10001 },
      automountServiceAccountToken: false,
    })
    for (const { securityContext } of pod.containers)
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
  })

  it('lets nginx find `serve` in its pod, and readers find nginx', () => {
    const [serve, nginx] = pod.containers as readonly (Tree & PodSpec['containers'][number])[]
    const { bucket } = JSON.parse(readFileSync(join(root, 'base/fundpress.config.json'), 'utf8')) as {
      readonly bucket: { readonly name: string }
    }
    const trusting = ['--trusted-proxies', '127.0.0.1']
    expect(serve?.args).toEqual(['serve', ...trusting, '--bucket', bucket.name, '--host', '127.0.0.1'])
    const configuration = objects.find(({ metadata }) => metadata.name.startsWith('fundpress-nginx'))
    const [text = ''] = Object.values(configuration?.['data'] as Readonly<Record<string, string>>)
    expect(text).toContain('server 127.0.0.1:8080;')
    const [, port] = /^ +listen (\d+);$/m.exec(text) ?? []
    expect(nginx?.['ports']).toEqual([{ name: 'http', containerPort: Number(port) }])
    expect(nginx?.['readinessProbe']).toMatchObject({ httpGet: { path: '/status/health', port: 'http' } })
    expect(named('Service')['ports']).toEqual([{ name: 'http', port: 80, targetPort: 'http' }])
    expect(named('NetworkPolicy')['ingress']).toEqual([{ ports: [{ protocol: 'TCP', port: Number(port) }] }])
  })
})
