/** What `fundpress edge cloudfront` writes: the template by CloudFormation's own specification, and what it gives to whom. */
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mistakesIn } from '../../support/cloudfront/specification.ts'
import { makeTempFolder, mustRun } from '../../support/product.ts'

interface Resource {
  readonly Type: string
  readonly Condition?: string
  readonly Properties: Readonly<Record<string, unknown>>
}

interface Template {
  readonly Parameters: Readonly<Record<string, { readonly Type: string }>>
  readonly Conditions: Readonly<Record<string, unknown>>
  readonly Resources: Readonly<Record<string, Resource>>
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>
}

interface Statement {
  readonly Effect: string
  readonly Principal?: unknown
  readonly Action: string | readonly string[]
  readonly Resource?: unknown
  readonly Condition?: unknown
}

const folder = makeTempFolder()
const hsts = makeTempFolder()
let template: Template

beforeAll(async () => {
  const flags = ['--bucket', 'fund-data', '--region', 'eu-central-1', '--prefix', 'nights']
  await mustRun(['edge', 'cloudfront', ...flags, '--dest', folder.path, '--quiet'])
  template = JSON.parse(read('template.json')) as Template
})
afterAll(() => {
  folder.remove()
  hsts.remove()
})

const read = (path: string) => readFileSync(folder.file(path), 'utf8')
const resourcesOf = (type: string, of = template) =>
  Object.values(of.Resources).filter((resource) => resource.Type === type)
const only = (type: string, of = template): Readonly<Record<string, unknown>> => {
  const [found, ...others] = resourcesOf(type, of)
  expect(others).toEqual([])
  return found?.Properties ?? {}
}
/** `aws cloudformation package` puts the place of the upload where the folder's name stands. */
const packaged = (of = template): Template => ({
  ...of,
  Resources: Object.fromEntries(
    Object.entries(of.Resources).map(([name, { Properties, ...resource }]) => [
      name,
      {
        ...resource,
        Properties:
          Properties['Code'] === 'lambda'
            ? { ...Properties, Code: { S3Bucket: 'a', S3Key: 'b' } }
            : Properties,
      },
    ]),
  ),
})

/** Every statement of every policy, wherever it stands. */
function statements(value: unknown = template.Resources): Statement[] {
  if (typeof value !== 'object' || value === null) return []
  if ('Effect' in value) return [value as Statement]
  return Object.values(value).flatMap(statements)
}

describe('the template', () => {
  it('is as CloudFormation specifies its resources', async () => {
    expect(await mistakesIn(packaged())).toEqual([])
  })

  it('tells browsers to ask over HTTPS alone, only where that is set', async () => {
    expect(resourcesOf('AWS::CloudFront::ResponseHeadersPolicy')).toEqual([])
    expect(JSON.stringify(only('AWS::CloudFront::Distribution'))).not.toContain('ResponseHeadersPolicyId')
    const flags = ['--bucket', 'fund-data', '--region', 'eu-central-1', '--hsts', '31536000']
    await mustRun(['edge', 'cloudfront', ...flags, '--dest', hsts.path, '--quiet'])
    const strict = JSON.parse(readFileSync(hsts.file('template.json'), 'utf8')) as Template
    expect(await mistakesIn(packaged(strict))).toEqual([])
    expect(only('AWS::CloudFront::ResponseHeadersPolicy', strict)).toMatchObject({
      ResponseHeadersPolicyConfig: {
        SecurityHeadersConfig: {
          StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, Override: true },
        },
      },
    })
    expect(only('AWS::CloudFront::Distribution', strict)).toMatchObject({
      DistributionConfig: { DefaultCacheBehavior: { ResponseHeadersPolicyId: { Ref: 'HeadersPolicy' } } },
    })
  })

  it.each([
    ['an unknown property', { Watch: { FunctionNam: 'x' } }, 'Watch: no property FunctionNam'],
    ['a value of another kind', { Watch: { Timeout: '30' } }, 'Watch.Timeout: "30" is no integer'],
    ['a property that is missing', { Watch: { Role: undefined } }, 'Watch: Role is missing'],
    [
      'a name that leads nowhere',
      { LambdaUrl: { TargetFunctionArn: { 'Fn::GetAtt': ['Lambda', 'Nothing'] } } },
      '.Resources.LambdaUrl.Properties.TargetFunctionArn.Fn::GetAtt: AWS::Lambda::Function has no attribute Nothing',
    ],
    [
      'a value that is none of its kinds',
      { LambdaUrl: { AuthType: 'SOME' } },
      'LambdaUrl.AuthType: "SOME" is no string',
    ],
    [
      'a mistake further inside',
      { ViewerRequest: { FunctionConfig: { Comment: 'x', Runtim: 'y' } } },
      'ViewerRequest.FunctionConfig: Runtime is missing',
    ],
  ])('would not pass with %s', async (_, changes, mistake) => {
    const { Resources, ...rest } = packaged()
    const changed = Object.entries(changes as Record<string, object>).map(([name, properties]) => {
      const resource = Resources[name]
      return [name, { ...resource, Properties: { ...resource?.Properties, ...properties } }]
    })
    const broken = { ...rest, Resources: { ...Resources, ...Object.fromEntries(changed) } } as Template
    expect(await mistakesIn(broken)).toContain(mistake)
  })

  it('has no condition and no parameter that nothing asks for', () => {
    const { Parameters, Conditions, ...rest } = template
    const text = JSON.stringify(rest)
    const asked = (name: string) => text.includes(`"${name}"`) || text.includes(`\${${name}}`)
    expect(Object.keys(Conditions).filter((name) => !asked(name))).toEqual([])
    const conditions = JSON.stringify(Conditions)
    expect(
      Object.keys(Parameters).filter((name) => !asked(name) && !conditions.includes(`"${name}"`)),
    ).toEqual([])
  })

  it('holds the very functions that lie beside it', () => {
    const codes = resourcesOf('AWS::CloudFront::Function').map(({ Properties }) => Properties['FunctionCode'])
    expect(codes).toEqual([read('functions/viewer-request.js'), read('functions/viewer-response.js')])
  })

  it('gives out what the commands of the README ask for', () => {
    const readme = read('README.md')
    const named = [...readme.matchAll(/`([A-Z][A-Za-z]+)(?:=[^`]*)?`/g)].map(([, name = '']) => name)
    const known = { ...template.Outputs, ...template.Parameters, LiveSnapshotAge: {} }
    expect(named.filter((name) => !(name in known))).toEqual([])
    expect(named).toEqual(
      expect.arrayContaining(['PublisherRoleArn', 'AlarmTopicArn', 'PolicyForExistingBucket']),
    )
    expect(readme).not.toMatch(/\{\{|undefined/)
  })
})

describe('security', () => {
  it('opens no bucket to the public', () => {
    const buckets = resourcesOf('AWS::S3::Bucket')
    expect(buckets).toHaveLength(2)
    for (const { Properties } of buckets) {
      expect(Properties['PublicAccessBlockConfiguration']).toEqual({
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      })
      expect(Properties['AccessControl']).toBeUndefined()
      expect(Properties['WebsiteConfiguration']).toBeUndefined()
    }
  })

  it('lets nobody read without TLS', () => {
    const policies = resourcesOf('AWS::S3::BucketPolicy').map(({ Properties }) => statements(Properties))
    expect(policies).toHaveLength(2)
    for (const policy of policies) {
      expect(policy).toContainEqual(
        expect.objectContaining({
          Effect: 'Deny',
          Principal: '*',
          Action: 's3:*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      )
    }
    const config = only('AWS::CloudFront::Distribution')['DistributionConfig'] as Record<string, unknown>
    expect(config['DefaultCacheBehavior']).toMatchObject({ ViewerProtocolPolicy: 'redirect-to-https' })
    expect(JSON.stringify(config['ViewerCertificate'])).toContain('"MinimumProtocolVersion":"TLSv1.2_2021"')
    expect(config['Origins']).toContainEqual(
      expect.objectContaining({
        CustomOriginConfig: expect.objectContaining({
          OriginProtocolPolicy: 'https-only',
          OriginSSLProtocols: ['TLSv1.2'],
        }),
      }),
    )
  })

  it('allows nothing to everybody, no action of all kinds, and nothing on all resources', () => {
    const allowed = statements().filter(({ Effect }) => Effect === 'Allow')
    expect(allowed.length).toBeGreaterThan(8)
    for (const statement of allowed) {
      expect(JSON.stringify(statement.Principal ?? {})).not.toContain('*')
      expect(JSON.stringify(statement.Action)).not.toContain('*')
      // Of an inline policy; in a role's trust there is none.
      if ('Resource' in statement) expect(statement.Resource).not.toBe('*')
    }
  })

  it('lets the distribution read slots and downloads, and neither list nor read what is beside them', () => {
    const [statement, ...others] = statements().filter(({ Principal }) =>
      JSON.stringify(Principal ?? '').includes('cloudfront.amazonaws.com'),
    )
    expect(others).toEqual([])
    expect(statement?.Action).toBe('s3:GetObject')
    expect(JSON.stringify(statement?.Resource).match(/BucketName\}\/[^"]+/g)).toEqual([
      'BucketName}/nights/blue/*',
      'BucketName}/nights/green/*',
      'BucketName}/nights/downloads/*',
    ])
    expect(JSON.stringify(statement?.Condition)).toContain('AWS:SourceArn')
  })

  it("lets nobody but the distribution call the Lambda's address", () => {
    expect(only('AWS::Lambda::Url')).toMatchObject({ AuthType: 'AWS_IAM', InvokeMode: 'RESPONSE_STREAM' })
    const permissions = resourcesOf('AWS::Lambda::Permission').map(({ Properties }) => Properties)
    expect(permissions.map(({ Action, Principal }) => [Action, Principal])).toEqual([
      ['lambda:InvokeFunctionUrl', 'cloudfront.amazonaws.com'],
      ['lambda:InvokeFunction', 'cloudfront.amazonaws.com'],
      ['lambda:InvokeFunction', 'events.amazonaws.com'],
    ])
    for (const { SourceArn } of permissions) expect(SourceArn).toBeDefined()
    expect(permissions[1]).toMatchObject({ InvokedViaFunctionUrl: true })
  })

  it('gives the role of the workflow to one branch of one repository only', () => {
    const roles = resourcesOf('AWS::IAM::Role').filter(({ Condition }) => Condition === 'HasRepository')
    expect(statements(roles)).toEqual([
      expect.objectContaining({
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: {
          StringEquals: {
            'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
            'token.actions.githubusercontent.com:sub': {
              'Fn::Sub': ['repo:', '{GitHubRepository}:ref:refs/heads/', '{GitHubBranch}']
                .join('')
                .replaceAll('{', '${'),
            },
          },
        },
      }),
    ])
  })

  it('has in the output for a bucket that was there what it gives to one of its own', () => {
    const text = (template.Outputs['PolicyForExistingBucket']?.Value as { 'Fn::Sub': string })['Fn::Sub']
    const given = statements(JSON.parse(text))
    const [own] = resourcesOf('AWS::S3::BucketPolicy').map(({ Properties }) => statements(Properties))
    expect(given.map(({ Effect, Action }) => [Effect, Action])).toEqual(
      own?.map(({ Effect, Action }) => [Effect, Action]),
    )
  })
})

it('writes these files, and says nothing of this machine in them', () => {
  const files = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.includes('.'),
  )
  expect(files.sort()).toEqual([
    'README.md',
    'functions/viewer-request.js',
    'functions/viewer-response.js',
    'lambda/index.mjs',
    'template.json',
  ])
  for (const file of files) expect(read(file)).not.toContain(process.cwd())
})
