/** The bucket with the snapshots, private, and the one for access logs. */

import { attribute, policy, ref, sub, when, type Resources } from './formation.ts'

/** What of a bucket readers may read: slots and downloads. @param prefix empty, or with a slash at its end */
export const readable = (prefix: string) =>
  ['blue', 'green', 'downloads'].map((folder) => `${prefix}${folder}/*`)

/** The name of the bucket, new or not; a new one is there before whatever uses it. */
export const bucketName = when('IsNewBucket', ref('Bucket'), ref('BucketName'))

/** May the distribution read, and nothing else: no listing, even if the functions were taken away from it. */
const distributionReads = (prefix: string) => ({
  Sid: 'DistributionReads',
  Effect: 'Allow',
  Principal: { Service: 'cloudfront.amazonaws.com' },
  Action: 's3:GetObject',
  Resource: readable(prefix).map((key) => sub(`arn:{AWS::Partition}:s3:::{BucketName}/${key}`)),
  Condition: { StringEquals: { 'AWS:SourceArn': distributionArn } },
})

export const distributionArn = sub(
  'arn:{AWS::Partition}:cloudfront::{AWS::AccountId}:distribution/{Distribution}',
)

const tlsOnly = (bucket: string) => ({
  Sid: 'TlsOnly',
  Effect: 'Deny',
  Principal: '*',
  Action: 's3:*',
  Resource: ['', '/*'].map((below) => sub(`arn:{AWS::Partition}:s3:::{${bucket}}${below}`)),
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
})

const nothingPublic = {
  BlockPublicAcls: true,
  BlockPublicPolicy: true,
  IgnorePublicAcls: true,
  RestrictPublicBuckets: true,
}

const encrypted = {
  ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
}

export const storage = (prefix: string): Resources => ({
  Bucket: {
    Type: 'AWS::S3::Bucket',
    Condition: 'IsNewBucket',
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      BucketName: ref('BucketName'),
      PublicAccessBlockConfiguration: nothingPublic,
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      BucketEncryption: encrypted,
      // No versions: every night would leave its objects behind. The slot that is not live is what one goes back to.
      // No rule for downloads by age: if nobody publishes for long, it would delete those that are live.
      LifecycleConfiguration: {
        Rules: [
          {
            Id: 'aborted-uploads',
            Status: 'Enabled',
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
          },
        ],
      },
    },
  },
  BucketPolicy: {
    Type: 'AWS::S3::BucketPolicy',
    Condition: 'IsNewBucket',
    Properties: {
      Bucket: ref('Bucket'),
      PolicyDocument: policy(tlsOnly('Bucket'), distributionReads(prefix)),
    },
  },
  LogBucket: {
    Type: 'AWS::S3::Bucket',
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      PublicAccessBlockConfiguration: nothingPublic,
      // CloudFront delivers its logs by an access control list.
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerPreferred' }] },
      BucketEncryption: encrypted,
      LifecycleConfiguration: {
        Rules: [
          {
            Id: 'old-logs',
            Status: 'Enabled',
            ExpirationInDays: ref('LogDays'),
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
          },
        ],
      },
    },
  },
  LogBucketPolicy: {
    Type: 'AWS::S3::BucketPolicy',
    Properties: { Bucket: ref('LogBucket'), PolicyDocument: policy(tlsOnly('LogBucket')) },
  },
})

/** For a bucket that was there before: what its policy has to have besides what it has. JSON. */
export const policyForExistingBucket = (prefix: string) => ({
  'Fn::Sub': JSON.stringify(policy(tlsOnly('BucketName'), distributionReads(prefix)), (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'Fn::Sub' in value ? value['Fn::Sub'] : value,
  ),
})

export const logBucketDomain = attribute('LogBucket', 'RegionalDomainName')
