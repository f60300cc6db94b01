/** The one CloudFormation template, put together. */

import { alarms } from './alarms.ts'
import { distribution, type FunctionCode } from './distribution.ts'
import { and, attribute, equals, not, ref, type Output, type Parameter, type Template } from './formation.ts'
import { lambda } from './lambda.ts'
import { publisher } from './publisher.ts'
import { policyForExistingBucket, storage } from './storage.ts'

export interface FormationOptions {
  readonly bucket: string
  /** Without slashes at its ends; '' for none. */
  readonly prefix: string
  /** '' for none but CloudFront's. */
  readonly domain: string
  readonly functions: FunctionCode
  /** 0 for none. */
  readonly hstsSeconds: number
}

export function cloudFormation({
  bucket,
  prefix,
  domain,
  functions,
  hstsSeconds,
}: FormationOptions): Template {
  const below = prefix === '' ? '' : `${prefix}/`
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: 'fundpress: fund data from a private bucket through CloudFront.',
    Parameters: parameters(bucket, domain),
    Conditions: conditions,
    Resources: {
      ...storage(below),
      ...lambda(below),
      ...distribution(below, functions, hstsSeconds),
      ...publisher(below),
      ...alarms,
    },
    Outputs: outputs(below),
  }
}

const parameters = (bucket: string, domain: string): Record<string, Parameter> => ({
  BucketName: {
    Type: 'String',
    Description: 'The bucket with the snapshots. It has to be in the region of this stack.',
    Default: bucket,
    AllowedPattern: '[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]',
  },
  CreateBucket: {
    Type: 'String',
    Description: 'Whether the stack makes the bucket. One that is there needs the policy of an output.',
    Default: 'yes',
    AllowedValues: ['yes', 'no'],
  },
  DomainName: {
    Type: 'String',
    Description: `A host name of your own${domain === '' ? '' : `, ${domain} for example`}. Empty: CloudFront's.`,
    Default: '',
  },
  CertificateArn: {
    Type: 'String',
    Description: 'The certificate of that host name: of ACM, in us-east-1. Empty: no host name of your own.',
    Default: '',
    AllowedPattern: '(arn:aws[a-z-]*:acm:us-east-1:[0-9]{12}:certificate/.+)?',
  },
  PriceClass: {
    Type: 'String',
    Description: 'Where the distribution has edges: PriceClass_100 is Europe and North America.',
    Default: 'PriceClass_100',
    AllowedValues: ['PriceClass_100', 'PriceClass_200', 'PriceClass_All'],
  },
  LambdaConcurrency: {
    Type: 'Number',
    Description: 'How many requests the Lambda works on at a time, at most. 0: whatever the account has.',
    Default: 0,
    MinValue: 0,
  },
  GitHubRepository: {
    Type: 'String',
    Description: 'owner/name of the repository whose workflow publishes. Empty: no role for one.',
    Default: '',
    AllowedPattern: '([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)?',
  },
  GitHubBranch: {
    Type: 'String',
    Description: 'The branch that it publishes from.',
    Default: 'main',
    // Neither * nor ?: the role takes this branch only.
    AllowedPattern: '[A-Za-z0-9_./-]+',
  },
  GitHubProviderArn: {
    Type: 'String',
    Description: 'The OIDC provider of GitHub, if the account has it already. Empty: the stack makes it.',
    Default: '',
    AllowedPattern:
      '(arn:aws[a-z-]*:iam::[0-9]{12}:oidc-provider/token\\.actions\\.githubusercontent\\.com)?',
  },
  AlarmMailAddress: {
    Type: 'String',
    Description: 'Where alarms go by mail. Empty: nowhere; the topic can be subscribed to later.',
    Default: '',
  },
  MaxSnapshotAgeSeconds: {
    Type: 'Number',
    Description: 'From this age of the live snapshot on there is an alarm.',
    Default: 36 * 3600,
    MinValue: 3600,
  },
  LogDays: {
    Type: 'Number',
    Description: 'How many days access logs stay.',
    Default: 90,
    MinValue: 1,
  },
})

const isGiven = (parameter: string) => not(equals(ref(parameter), ''))

const conditions = {
  IsNewBucket: equals(ref('CreateBucket'), 'yes'),
  IsOldBucket: equals(ref('CreateBucket'), 'no'),
  HasDomain: and(isGiven('DomainName'), isGiven('CertificateArn')),
  HasConcurrency: not(equals(ref('LambdaConcurrency'), 0)),
  HasRepository: isGiven('GitHubRepository'),
  NeedsProvider: and(isGiven('GitHubRepository'), equals(ref('GitHubProviderArn'), '')),
  HasMail: isGiven('AlarmMailAddress'),
  IsUsEast1: equals(ref('AWS::Region'), 'us-east-1'),
}

const outputs = (prefix: string): Record<string, Output> => ({
  Address: {
    Description: "CloudFront's host name: where a CNAME of your own points to.",
    Value: attribute('Distribution', 'DomainName'),
  },
  DistributionId: { Description: 'The distribution.', Value: ref('Distribution') },
  KeyValueStoreArn: {
    Description: 'For edge.keyValueStore in the config file, or publish --flip-kvs.',
    Value: attribute('LivePointer', 'Arn'),
  },
  Bucket: { Description: 'For publish --bucket.', Value: ref('BucketName') },
  Region: { Description: 'For publish --region.', Value: ref('AWS::Region') },
  PublisherPolicyArn: { Description: 'For whoever publishes.', Value: ref('PublisherPolicy') },
  PublisherRoleArn: {
    Description: 'For role-to-assume in the workflow that publishes.',
    Condition: 'HasRepository',
    Value: attribute('PublisherRole', 'Arn'),
  },
  PolicyForExistingBucket: {
    Description: 'What the policy of the bucket has to have.',
    Condition: 'IsOldBucket',
    Value: policyForExistingBucket(prefix),
  },
  AlarmTopicArn: { Description: 'To subscribe to.', Value: ref('Alarms') },
  LogBucketName: { Description: 'Access logs, below edge/.', Value: ref('LogBucket') },
  LambdaLogGroup: { Description: 'What the Lambda has to say.', Value: ref('LambdaLog') },
})
