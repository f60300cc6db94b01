/** The trust of the stack's roles, tested with the claims that GitHub gives to jobs. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { filledIn, type Template } from '../support/cloudformation.ts'
import { makeTempFolder, mustRun } from '../support/product.ts'

type Values = string | readonly string[]
interface Trust {
  readonly Statement: readonly {
    readonly Effect: string
    readonly Principal: { readonly Federated: string }
    readonly Action: string
    readonly Condition: Readonly<Record<string, Readonly<Record<string, Values>>>>
  }[]
}
type Claims = Readonly<Record<'aud' | 'sub', string>>

const issuer = 'token.actions.githubusercontent.com'

/** Source: IAM's documentation, "IAM JSON policy elements: Condition": all keys have to match, each with one of its values. */
function mayAssume({ Statement }: Trust, claims: Claims): boolean {
  return Statement.some(({ Effect, Principal, Action, Condition }) => {
    expect({ Effect, Action }).toEqual({ Effect: 'Allow', Action: 'sts:AssumeRoleWithWebIdentity' })
    expect(Principal.Federated).toBe(`arn:aws:iam::123456789012:oidc-provider/${issuer}`)
    // Another operator needs another comparison here.
    expect(Object.keys(Condition)).toEqual(['StringEquals'])
    const { StringEquals = {} } = Condition
    expect(Object.keys(StringEquals).sort()).toEqual([`${issuer}:aud`, `${issuer}:sub`])
    return Object.entries(StringEquals).every(([key, values]) =>
      [values].flat().includes(claims[key.replace(`${issuer}:`, '') as keyof Claims]),
    )
  })
}

/** By the variable that names the role. */
type Roles = Readonly<Record<'FUNDPRESS_ROLE' | 'FUNDPRESS_FLIP_ROLE' | 'FUNDPRESS_WATCH_ROLE', Trust>>

let template: Template

/** What CloudFormation makes of the template with a repository. */
function rolesFor(GitHubRepository: string, Approval: 'yes' | 'no' = 'yes'): Roles {
  const { AllowedPattern = '' } = template.Parameters['GitHubRepository'] ?? {}
  expect(GitHubRepository).toMatch(new RegExp(`^(?:${AllowedPattern})$`))
  const GitHubProviderArn = `arn:aws:iam::123456789012:oidc-provider/${issuer}`
  const { Resources } = filledIn(template, { GitHubRepository, GitHubProviderArn, Approval })
  const outputs = Object.values(template.Outputs) as readonly {
    readonly Description?: string
    readonly Value: unknown
  }[]
  const trustOf = (variable: string) => {
    const output = outputs.find(({ Description = '' }) => Description.includes(`${variable} `))
    const [name = ''] = (output?.Value as Readonly<Record<'Fn::GetAtt', readonly string[]>>)['Fn::GetAtt']
    const nobody: Trust = { Statement: [] }
    return (Resources[name]?.Properties['AssumeRolePolicyDocument'] as Trust | undefined) ?? nobody
  }
  return {
    FUNDPRESS_ROLE: trustOf('FUNDPRESS_ROLE'),
    FUNDPRESS_FLIP_ROLE: trustOf('FUNDPRESS_FLIP_ROLE'),
    FUNDPRESS_WATCH_ROLE: trustOf('FUNDPRESS_WATCH_ROLE'),
  }
}

beforeAll(async () => {
  const folder = makeTempFolder()
  const flags = [
    '--bucket',
    'fund-data',
    '--region',
    'eu-central-1',
    '--dest',
    folder.file('edge'),
    '--quiet',
  ]
  await mustRun(['edge', 'cloudfront', ...flags])
  template = JSON.parse(readFileSync(folder.file('edge/template.json'), 'utf8')) as Template
  return folder.remove
})

interface Job {
  readonly environment?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly { readonly with?: Readonly<Record<string, string>> }[]
}
const folder = '.github/workflows'
/** All jobs of all workflows, with the variable of the role that they assume, if they do. */
const jobs = readdirSync(folder).flatMap((file) => {
  const workflow = parse(readFileSync(join(folder, file), 'utf8')) as {
    readonly jobs: Readonly<Record<string, Job>>
  }
  return Object.entries(workflow.jobs).map(([id, { environment, permissions, steps }]) => {
    const roles = steps.flatMap((step) => /vars\.(\w+)/.exec(step.with?.['role'] ?? '')?.[1] ?? [])
    const mayAsk = permissions?.['id-token'] === 'write'
    return { id: `${file} ${id}`, environment, mayAsk, role: roles.length === 0 ? null : roles.join() }
  })
})

const audience = 'sts.amazonaws.com'
/** Source: GitHub's documentation, "OpenID Connect reference", example subject claims. */
const claimsOf = (repository: string, environment: string | undefined): Claims => ({
  aud: audience,
  sub: `repo:${repository}:${environment === undefined ? 'ref:refs/heads/main' : `environment:${environment}`}`,
})

describe('the stack', () => {
  // Since 15 July 2026, GitHub adds its numbers to the names of new repositories.
  it.each(['owner/funds', 'owner@1234/funds@5678'])(
    'of %s lets each job assume the role that it names, and no other role',
    (repository) => {
      const roles = Object.entries(rolesFor(repository))
      const allowed = jobs.map(({ id, environment, role }) => {
        const may = roles.filter(([, trust]) => mayAssume(trust, claimsOf(repository, environment)))
        return { id, role, may: may.map(([name]) => name) }
      })
      expect(allowed).toEqual(jobs.map(({ id, role }) => ({ id, role, may: role === null ? [] : [role] })))
    },
  )

  it('lets no other claims assume one', () => {
    const repository = 'owner/funds'
    const others = [
      'pull_request',
      'ref:refs/heads/main',
      'ref:refs/heads/feature',
      'ref:refs/tags/v1',
      'environment:other',
      'environment:Fundpress',
      'environment:fundpress-',
      'environment:',
    ].map((subject) => ({ aud: audience, sub: `repo:${repository}:${subject}` }))
    const elsewhere = ['owner/other', 'other/funds', 'owner/funds2', 'OWNER/funds', 'owner@1/funds@2']
    const environments = ['fundpress', 'fundpress-approval', 'fundpress-watch']
    const strange = environments.flatMap((environment) => [
      ...elsewhere.map((other) => claimsOf(other, environment)),
      { ...claimsOf(repository, environment), aud: 'https://github.com/owner' },
    ])
    for (const trust of Object.values(rolesFor(repository)))
      expect([...others, ...strange].filter((claims) => mayAssume(trust, claims))).toEqual([])
  })

  it('has no role for an approval if there is none', () => {
    const roles = Object.values(rolesFor('owner/funds', 'no'))
    const may = (environment: string) =>
      roles.filter((trust) => mayAssume(trust, claimsOf('owner/funds', environment)))
    expect(may('fundpress')).toHaveLength(1)
    expect(may('fundpress-approval')).toHaveLength(0)
  })
})

it('all jobs that get a token for a role assume one, in an environment', () => {
  expect(jobs.filter(({ role }) => role !== null)).toHaveLength(4)
  // A release asks for tokens for npm and Sigstore: release.test.ts.
  const ofNights = jobs.filter(({ id }) => !id.startsWith('release.yml '))
  for (const { id, mayAsk, role, environment } of ofNights)
    expect({ id, mayAsk, hasEnvironment: environment !== undefined }).toEqual({
      id,
      mayAsk: role !== null,
      hasEnvironment: role !== null,
    })
})
