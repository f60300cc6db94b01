/** The Lambda behind the distribution, its address, and the role that it runs in. */

import { attribute, policy, ref, sub, takenBy, when, type Resources } from './formation.ts'
import { bucketName, distributionArn, readable } from './storage.ts'

/** The newest that Lambda has for long-term support. */
const runtime = 'nodejs24.x'

/** The folder with its code: `aws cloudformation package` uploads it. */
const code = 'lambda'

export function lambda(prefix: string): Resources {
  const variables = { BUCKET: bucketName, PREFIX: prefix, STACK: ref('AWS::StackName') }
  const logging = (group: string) => ({ LogGroup: ref(group) })
  const fromDistribution = {
    FunctionName: ref('Lambda'),
    Principal: 'cloudfront.amazonaws.com',
    SourceArn: distributionArn,
  }
  return {
    LambdaLog: logGroup('edge'),
    LambdaRole: readerRole('LambdaLog', readable(prefix)),
    Lambda: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Description: 'Date ranges, refusals, and answers in place of the bucket.',
        Runtime: runtime,
        Architectures: ['arm64'],
        Handler: 'index.handler',
        Code: code,
        Role: attribute('LambdaRole', 'Arn'),
        // As much processor as compresses thirty years of prices in a tenth of a second.
        MemorySize: 1024,
        // Well below bucket.graceSeconds: what reads from a slot has to be done before it is written to again.
        Timeout: 30,
        ReservedConcurrentExecutions: when('HasConcurrency', ref('LambdaConcurrency')),
        Environment: { Variables: variables },
        LoggingConfig: logging('LambdaLog'),
      },
    },
    LambdaUrl: {
      Type: 'AWS::Lambda::Url',
      Properties: {
        TargetFunctionArn: attribute('Lambda', 'Arn'),
        AuthType: 'AWS_IAM',
        InvokeMode: 'RESPONSE_STREAM',
      },
    },
    // Both: since October 2025 Lambda wants the second as well, and that only through the address.
    DistributionCallsUrl: {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        ...fromDistribution,
        Action: 'lambda:InvokeFunctionUrl',
        FunctionUrlAuthType: 'AWS_IAM',
      },
    },
    DistributionCallsLambda: {
      Type: 'AWS::Lambda::Permission',
      Properties: { ...fromDistribution, Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true },
    },
    WatchLog: logGroup('watch'),
    WatchRole: readerRole('WatchLog', [`${prefix}live.json`]),
    Watch: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Description: 'Tells CloudWatch how old the live snapshot is.',
        Runtime: runtime,
        Architectures: ['arm64'],
        Handler: 'index.watch',
        Code: code,
        Role: attribute('WatchRole', 'Arn'),
        MemorySize: 256,
        Timeout: 30,
        Environment: { Variables: variables },
        LoggingConfig: logging('WatchLog'),
      },
    },
  }
}

const logGroup = (name: string) => ({
  Type: 'AWS::Logs::LogGroup',
  Properties: { LogGroupName: sub(`/{AWS::StackName}/${name}`), RetentionInDays: 30 },
})

/** A role that reads these keys, and writes to its own log. It may list: else a missing object would be a denied one. */
const readerRole = (log: string, keys: readonly string[]) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: takenBy('lambda.amazonaws.com'),
    Policies: [
      {
        PolicyName: 'read-and-log',
        PolicyDocument: policy(
          {
            Effect: 'Allow',
            Action: 's3:GetObject',
            Resource: keys.map((key) => sub(`arn:{AWS::Partition}:s3:::{BucketName}/${key}`)),
          },
          {
            Effect: 'Allow',
            Action: 's3:ListBucket',
            Resource: sub('arn:{AWS::Partition}:s3:::{BucketName}'),
          },
          {
            Effect: 'Allow',
            Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
            Resource: attribute(log, 'Arn'),
          },
        ),
      },
    ],
  },
})
