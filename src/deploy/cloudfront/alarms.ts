/** What wakes somebody: failing answers, and a live snapshot that nobody has replaced. */

import { attribute, ref, type Resources } from './formation.ts'

const alarm = (description: string, properties: Readonly<Record<string, unknown>>) => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmDescription: description,
    AlarmActions: [ref('Alarms')],
    OKActions: [ref('Alarms')],
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
    ...properties,
  },
})

const ofLambda = { Namespace: 'AWS/Lambda', Dimensions: [{ Name: 'FunctionName', Value: ref('Lambda') }] }

export const alarms: Resources = {
  Alarms: { Type: 'AWS::SNS::Topic', Properties: {} },
  AlarmMail: {
    Type: 'AWS::SNS::Subscription',
    Condition: 'HasMail',
    Properties: { TopicArn: ref('Alarms'), Protocol: 'email', Endpoint: ref('AlarmMailAddress') },
  },
  LambdaFails: alarm('The Lambda ends with errors, or in time-outs.', {
    ...ofLambda,
    MetricName: 'Errors',
    Statistic: 'Sum',
    Period: 300,
    EvaluationPeriods: 1,
    Threshold: 0,
  }),
  // Where the bucket fails, the Lambda answers in its place: what fails here, clients see.
  AnswersFail: alarm('Answers fail with 5xx.', {
    ...ofLambda,
    MetricName: 'Url5xxCount',
    Statistic: 'Sum',
    Period: 300,
    EvaluationPeriods: 1,
    Threshold: 5,
  }),
  // CloudFront tells its metrics in us-east-1 only.
  DistributionFails: {
    ...alarm('More than a hundredth of all answers are 5xx.', {
      Namespace: 'AWS/CloudFront',
      MetricName: '5xxErrorRate',
      Dimensions: [
        { Name: 'DistributionId', Value: ref('Distribution') },
        { Name: 'Region', Value: 'Global' },
      ],
      Statistic: 'Average',
      Period: 300,
      EvaluationPeriods: 2,
      Threshold: 1,
    }),
    Condition: 'IsUsEast1',
  },
  SnapshotIsOld: alarm('No new snapshot has gone live, or nobody can tell.', {
    Namespace: 'Fundpress',
    MetricName: 'LiveSnapshotAge',
    Dimensions: [{ Name: 'Stack', Value: ref('AWS::StackName') }],
    Statistic: 'Maximum',
    Period: 900,
    EvaluationPeriods: 2,
    Threshold: ref('MaxSnapshotAgeSeconds'),
    TreatMissingData: 'breaching',
  }),
  WatchSchedule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      Description: 'Asks how old the live snapshot is.',
      ScheduleExpression: 'rate(10 minutes)',
      Targets: [{ Id: 'watch', Arn: attribute('Watch', 'Arn') }],
    },
  },
  ScheduleCallsWatch: {
    Type: 'AWS::Lambda::Permission',
    Properties: {
      FunctionName: ref('Watch'),
      Action: 'lambda:InvokeFunction',
      Principal: 'events.amazonaws.com',
      SourceArn: attribute('WatchSchedule', 'Arn'),
    },
  },
}
