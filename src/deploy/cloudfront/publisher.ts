/** Who may publish: a policy for whatever runs `fundpress publish`, and a role with it for GitHub Actions. */

import { attribute, policy, ref, sub, when, type Resources } from './formation.ts'

const issuer = 'token.actions.githubusercontent.com'

/** @param prefix empty, or with a slash at its end */
export const publisher = (prefix: string): Resources => ({
  PublisherPolicy: {
    Type: 'AWS::IAM::ManagedPolicy',
    Properties: {
      Description: 'What fundpress publish, rollback, verify and prune need.',
      PolicyDocument: policy(
        {
          Effect: 'Allow',
          Action: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'],
          Resource: sub(`arn:{AWS::Partition}:s3:::{BucketName}/${prefix}*`),
        },
        {
          Effect: 'Allow',
          Action: [
            's3:ListBucket',
            's3:ListBucketMultipartUploads',
            // What `fundpress doctor` asks.
            's3:GetBucketVersioning',
            's3:GetLifecycleConfiguration',
          ],
          Resource: sub('arn:{AWS::Partition}:s3:::{BucketName}'),
        },
        {
          Effect: 'Allow',
          Action: [
            'cloudfront-keyvaluestore:DescribeKeyValueStore',
            'cloudfront-keyvaluestore:GetKey',
            'cloudfront-keyvaluestore:PutKey',
          ],
          Resource: attribute('LivePointer', 'Arn'),
        },
      ),
    },
  },
  // An account can have one for an issuer: give its ARN if it has.
  GitHubProvider: {
    Type: 'AWS::IAM::OIDCProvider',
    Condition: 'NeedsProvider',
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: { Url: `https://${issuer}`, ClientIdList: ['sts.amazonaws.com'] },
  },
  PublisherRole: {
    Type: 'AWS::IAM::Role',
    Condition: 'HasRepository',
    Properties: {
      Description: 'Publishes from GitHub Actions.',
      ManagedPolicyArns: [ref('PublisherPolicy')],
      MaxSessionDuration: 7200,
      AssumeRolePolicyDocument: policy({
        Effect: 'Allow',
        Principal: {
          Federated: when('NeedsProvider', attribute('GitHubProvider', 'Arn'), ref('GitHubProviderArn')),
        },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: {
          StringEquals: {
            [`${issuer}:aud`]: 'sts.amazonaws.com',
            [`${issuer}:sub`]: sub('repo:{GitHubRepository}:ref:refs/heads/{GitHubBranch}'),
          },
        },
      }),
    },
  },
})
