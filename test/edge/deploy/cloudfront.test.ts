/** What `fundpress edge cloudfront` writes: cfn-lint checks the template, and tests who may do what. */
import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { cfnLint, filledIn, statementsIn } from '../../support/cloudformation.ts'
import type { Statement, Template } from '../../support/cloudformation.ts'
import { makeTempFolder, mustRun } from '../../support/product.ts'
import { lacks } from '../../support/programs.ts'

const folder = makeTempFolder()
let template: Template

/** Writes the deployment, and reads its template. */
async function make(dest: string, ...flags: string[]): Promise<Template> {
  const bucket = ['--bucket', 'fund-data', '--region', 'eu-central-1']
  await mustRun(['edge', 'cloudfront', ...bucket, ...flags, '--dest', folder.file(dest), '--quiet'])
  return JSON.parse(read(`${dest}/template.json`)) as Template
}

beforeAll(async () => {
  template = await make('edge', '--prefix', 'nights')
  return folder.remove
})

const read = (path: string) => readFileSync(folder.file(path), 'utf8')
const resourcesOf = (type: string, of = template) =>
  Object.values(of.Resources).filter((resource) => resource.Type === type)
const only = (type: string, of = template) => {
  const found = resourcesOf(type, of)
  expect(found).toHaveLength(1)
  return found[0]?.Properties ?? {}
}
/** Every statement of every policy of the template. */
const statements = (value: unknown = template.Resources) => statementsIn(value)

describe('the template', () => {
  it.skipIf(lacks('cfn-lint'))('has nothing that cfn-lint finds, and no name twice', async () => {
    await make('strict', '--hsts', '31536000')
    // `aws cloudformation package` puts the place of the upload where the folder's name stands.
    expect(cfnLint(folder.file('strict/template.json'), 'W3002')).toBe('')
    const text = readFileSync('templates/cloudfront/template.jsonc', 'utf8')
    const [resources = ''] = /^ {2}"Resources": .*?^ {2}\}/ms.exec(text) ?? []
    const names = resources.match(/^ {4}"\w+"(?=: \{$)/gm) ?? []
    expect(names.length).toBeGreaterThan(20)
    expect(names).toEqual([...new Set(names)])
  })

  it('tells browsers to use only HTTPS if the settings say so', async () => {
    expect(resourcesOf('AWS::CloudFront::ResponseHeadersPolicy')).toEqual([])
    expect(JSON.stringify(only('AWS::CloudFront::Distribution'))).not.toContain('ResponseHeadersPolicyId')
    const strict = await make('hsts', '--hsts', '31536000')
    const StrictTransportSecurity = { AccessControlMaxAgeSec: 31_536_000, Override: true }
    expect(only('AWS::CloudFront::ResponseHeadersPolicy', strict)).toMatchObject({
      ResponseHeadersPolicyConfig: { SecurityHeadersConfig: { StrictTransportSecurity } },
    })
    expect(only('AWS::CloudFront::Distribution', strict)).toMatchObject({
      DistributionConfig: { DefaultCacheBehavior: { ResponseHeadersPolicyId: { Ref: 'HeadersPolicy' } } },
    })
  })

  it('has the outputs and parameters that the README names', () => {
    const readme = read('edge/README.md')
    const named = [...readme.matchAll(/`([A-Z][A-Za-z]+)(?:=[^`]*)?`/g)].map(([, name = '']) => name)
    const known = { ...template.Outputs, ...template.Parameters, LiveSnapshotAge: {} }
    expect(named.filter((name) => !(name in known))).toEqual([])
    for (const name of [
      'PublisherRoleArn',
      'FlipRoleArn',
      'WatchRoleArn',
      'AlarmTopicArn',
      'PolicyForExistingBucket',
      'StatementsForKey',
    ])
      expect(named).toContain(name)
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

  it('denies reads without TLS', () => {
    const policies = resourcesOf('AWS::S3::BucketPolicy').map(({ Properties }) => statements(Properties))
    expect(policies).toHaveLength(2)
    const denied = { Effect: 'Deny', Principal: '*', Action: 's3:*' }
    const Condition = { Bool: { 'aws:SecureTransport': 'false' } }
    for (const policy of policies)
      expect(policy).toContainEqual(expect.objectContaining({ ...denied, Condition }))
    const config = only('AWS::CloudFront::Distribution')['DistributionConfig'] as Record<string, unknown>
    expect(config['DefaultCacheBehavior']).toMatchObject({ ViewerProtocolPolicy: 'redirect-to-https' })
    expect(JSON.stringify(config['ViewerCertificate'])).toContain('"MinimumProtocolVersion":"TLSv1.2_2021"')
    const origin = { OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] }
    const CustomOriginConfig = expect.objectContaining(origin)
    expect(config['Origins']).toContainEqual(expect.objectContaining({ CustomOriginConfig }))
  })

  it('allows no principal, no action and no resource by a wildcard', () => {
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
    expect(JSON.stringify(statement?.Resource).match(/BucketName\}\/[^"]+/g)).toEqual(
      ['blue', 'green', 'slot-*', 'downloads'].map((name) => `BucketName}/nights/${name}/*`),
    )
    expect(JSON.stringify(statement?.Condition)).toContain('AWS:SourceArn')
  })

  it("lets only the distribution call the Lambda's address", () => {
    expect(only('AWS::Lambda::Url')).toMatchObject({ AuthType: 'AWS_IAM', InvokeMode: 'RESPONSE_STREAM' })
    const permissions = resourcesOf('AWS::Lambda::Permission').map(({ Properties }) => Properties)
    expect(permissions).toMatchObject([
      { Action: 'lambda:InvokeFunctionUrl', Principal: 'cloudfront.amazonaws.com' },
      { Action: 'lambda:InvokeFunction', Principal: 'cloudfront.amazonaws.com' },
      { Action: 'lambda:InvokeFunction', Principal: 'events.amazonaws.com' },
    ])
    for (const { SourceArn } of permissions) expect(SourceArn).toBeDefined()
    expect(permissions[1]).toMatchObject({ InvokedViaFunctionUrl: true })
  })

  it('gives roles and policies the bucket below the prefix only', () => {
    const policies = resourcesOf('AWS::IAM::ManagedPolicy').map(({ Properties }) => Properties)
    const resources = statements(policies).flatMap(
      ({ Resource }) => JSON.stringify(Resource).match(/(?<=:::)[^"]+/g) ?? [],
    )
    const bucket = ['$', '{BucketName}'].join('')
    expect(resources.length).toBeGreaterThan(20)
    expect(resources.filter((one) => one !== bucket && !one.startsWith(`${bucket}/nights/`))).toEqual([])
  })

  it('keeps old versions for a month, which no role may read or delete, and nothing forever', () => {
    const { VersioningConfiguration, LifecycleConfiguration } = template.Resources['Bucket']?.Properties ?? {}
    expect(VersioningConfiguration).toEqual({ Status: 'Enabled' })
    expect(LifecycleConfiguration).toMatchObject({
      Rules: [{}, { Status: 'Enabled', NoncurrentVersionExpiration: { NoncurrentDays: 30 } }],
    })
    expect(JSON.stringify(statements())).not.toMatch(/ObjectVersion/)
  })

  it('outputs the same policy for an existing bucket as it gives to its own', () => {
    const text = (template.Outputs['PolicyForExistingBucket']?.Value as { 'Fn::Sub': string })['Fn::Sub']
    const given = statements(JSON.parse(text))
    const [own] = resourcesOf('AWS::S3::BucketPolicy').map(({ Properties }) => statements(Properties))
    const grants = (policy: readonly Statement[] = []) =>
      policy.map(({ Effect, Action }) => ({ Effect, Action }))
    expect(grants(given)).toEqual(grants(own))
  })

  it('encrypts its bucket with a key, and outputs what lets its roles and CloudFront use that', () => {
    const KmsKeyArn = 'arn:aws:kms:us-east-1:123456789012:key/abc'
    const encryptionWith = (parameters: Readonly<Record<string, string>>) =>
      filledIn(template, parameters).Resources['Bucket']?.Properties['BucketEncryption']
    const rule = { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KmsKeyArn }
    expect(encryptionWith({ KmsKeyArn })).toEqual({
      ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: rule, BucketKeyEnabled: true }],
    })
    expect(encryptionWith({})).toEqual({
      ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
    })
    const text = (template.Outputs['StatementsForKey']?.Value as { 'Fn::Sub': string })['Fn::Sub']
    const [roles, edge, ...others] = JSON.parse(text) as readonly Statement[]
    const account = ['$', '{AWS::AccountId}'].join('')
    expect(roles).toMatchObject({
      Action: ['kms:GenerateDataKey', 'kms:Decrypt'],
      Condition: { StringEquals: { 'kms:CallerAccount': account } },
    })
    expect(JSON.stringify(roles?.Condition)).toContain(`${account}:role/fundpress-*`)
    expect(edge).toMatchObject({
      Principal: { Service: 'cloudfront.amazonaws.com' },
      Action: 'kms:Decrypt',
    })
    expect(JSON.stringify(edge?.Condition)).toContain(['distribution/$', '{Distribution}'].join(''))
    expect(others).toEqual([])
  })
})

it('writes these files, without a path of this machine', () => {
  const all = readdirSync(folder.file('edge'), { recursive: true, encoding: 'utf8' })
  const files = all.filter((path) => path.includes('.')).sort()
  const functions = ['functions/viewer-request.js', 'functions/viewer-response.js']
  expect(files).toEqual(['README.md', ...functions, 'lambda/index.mjs', 'template.json'])
  for (const file of files) expect(read(`edge/${file}`)).not.toContain(process.cwd())
})

it.each([
  [[], 'CloudFront needs a bucket: set bucket.name in the config file, or give --bucket'],
  [['--bucket', 'b-b', '--endpoint', 'http://a'], 'CloudFront needs a bucket on AWS'],
  [['--bucket', 'b-b', '--prefix', 'a"b'], 'bucket.prefix has a "'],
])('is refused with %j', async (flags, message) => {
  const run = mustRun(['edge', 'cloudfront', ...flags, '--dest', folder.file('none')])
  await expect(run).rejects.toThrow(message)
})
