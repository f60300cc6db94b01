/** The distribution: two functions, a bucket and a Lambda behind them, and how long answers stay at the edge. */

import { attribute, ref, sub, when, type Resources } from './formation.ts'
import { bucketOrigin, keyHeaders, keyQueries, lambdaOrigin } from './names.ts'
import { logBucketDomain } from './storage.ts'

export interface FunctionCode {
  readonly request: string
  readonly response: string
}

/** Seconds. What is cached carries its snapshot in its key, so it never gets stale: browsers are told otherwise. */
const aYear = 31_536_000
/** The same of refusals, so that a right that was missing does not stay missing for long. */
const aFewMinutes = 300

/**
 * @param prefix empty, or with a slash at its end
 * @param hstsSeconds 0: browsers are not told to ask over HTTPS only
 */
export const distribution = (
  prefix: string,
  { request, response }: FunctionCode,
  hstsSeconds: number,
): Resources => ({
  ...(hstsSeconds === 0 ? {} : strictTransport(hstsSeconds)),
  LivePointer: {
    Type: 'AWS::CloudFront::KeyValueStore',
    Properties: {
      Name: sub('{AWS::StackName}-live'),
      Comment: 'What is live: written by fundpress publish --flip-kvs.',
    },
  },
  ViewerRequest: {
    Type: 'AWS::CloudFront::Function',
    Properties: {
      Name: sub('{AWS::StackName}-viewer-request'),
      AutoPublish: true,
      FunctionCode: request,
      FunctionConfig: {
        Comment: 'From a request to the object that answers it.',
        Runtime: 'cloudfront-js-2.0',
        KeyValueStoreAssociations: [{ KeyValueStoreARN: attribute('LivePointer', 'Arn') }],
      },
    },
  },
  ViewerResponse: {
    Type: 'AWS::CloudFront::Function',
    Properties: {
      Name: sub('{AWS::StackName}-viewer-response'),
      AutoPublish: true,
      FunctionCode: response,
      FunctionConfig: {
        Comment: 'The headers of an answer out of the bucket.',
        Runtime: 'cloudfront-js-2.0',
      },
    },
  },
  BucketAccess: originAccess('bucket', 's3'),
  LambdaAccess: originAccess('lambda', 'lambda'),
  CachePolicy: {
    Type: 'AWS::CloudFront::CachePolicy',
    Properties: {
      CachePolicyConfig: {
        Name: sub('{AWS::StackName}'),
        Comment: 'What the functions write into the request, and nothing of the client.',
        MinTTL: aYear,
        DefaultTTL: aYear,
        MaxTTL: aYear,
        ParametersInCacheKeyAndForwardedToOrigin: {
          EnableAcceptEncodingGzip: true,
          EnableAcceptEncodingBrotli: true,
          CookiesConfig: { CookieBehavior: 'none' },
          HeadersConfig: { HeaderBehavior: 'whitelist', Headers: keyHeaders },
          QueryStringsConfig: { QueryStringBehavior: 'whitelist', QueryStrings: keyQueries },
        },
      },
    },
  },
  Distribution: {
    Type: 'AWS::CloudFront::Distribution',
    Properties: {
      DistributionConfig: {
        Comment: sub('fundpress: {BucketName}'),
        Enabled: true,
        HttpVersion: 'http2and3',
        IPV6Enabled: true,
        PriceClass: ref('PriceClass'),
        Aliases: when('HasDomain', [ref('DomainName')]),
        ViewerCertificate: when(
          'HasDomain',
          {
            AcmCertificateArn: ref('CertificateArn'),
            SslSupportMethod: 'sni-only',
            MinimumProtocolVersion: 'TLSv1.2_2021',
          },
          { CloudFrontDefaultCertificate: true },
        ),
        Origins: [
          {
            Id: bucketOrigin,
            DomainName: sub('{BucketName}.s3.{AWS::Region}.{AWS::URLSuffix}'),
            OriginPath: prefix === '' ? '' : `/${prefix.slice(0, -1)}`,
            OriginAccessControlId: attribute('BucketAccess', 'Id'),
            S3OriginConfig: { OriginAccessIdentity: '' },
          },
          {
            Id: lambdaOrigin,
            // https://<id>.lambda-url.<region>.on.aws/
            DomainName: { 'Fn::Select': [2, { 'Fn::Split': ['/', attribute('LambdaUrl', 'FunctionUrl')] }] },
            OriginAccessControlId: attribute('LambdaAccess', 'Id'),
            CustomOriginConfig: {
              OriginProtocolPolicy: 'https-only',
              OriginSSLProtocols: ['TLSv1.2'],
              OriginReadTimeout: 30,
            },
          },
        ],
        // One behaviour, and no origin group in it: that would refuse POST before the function can say 405. The function
        // makes the group for the requests that the bucket answers.
        DefaultCacheBehavior: {
          TargetOriginId: lambdaOrigin,
          ViewerProtocolPolicy: 'redirect-to-https',
          AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'PATCH', 'DELETE'],
          CachedMethods: ['GET', 'HEAD'],
          Compress: true,
          CachePolicyId: ref('CachePolicy'),
          ...(hstsSeconds === 0 ? {} : { ResponseHeadersPolicyId: ref('HeadersPolicy') }),
          FunctionAssociations: [
            {
              EventType: 'viewer-request',
              FunctionARN: attribute('ViewerRequest', 'FunctionMetadata.FunctionARN'),
            },
            {
              EventType: 'viewer-response',
              FunctionARN: attribute('ViewerResponse', 'FunctionMetadata.FunctionARN'),
            },
          ],
        },
        CustomErrorResponses: [
          ...[400, 403, 404].map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: aFewMinutes })),
          ...[500, 502, 503, 504].map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
        ],
        Logging: { Bucket: logBucketDomain, Prefix: 'edge/', IncludeCookies: false },
      },
    },
  },
})

const strictTransport = (seconds: number): Resources => ({
  HeadersPolicy: {
    Type: 'AWS::CloudFront::ResponseHeadersPolicy',
    Properties: {
      ResponseHeadersPolicyConfig: {
        Name: sub('{AWS::StackName}'),
        Comment: 'Whoever asked over HTTPS once asks over HTTPS only from now on.',
        SecurityHeadersConfig: {
          StrictTransportSecurity: { AccessControlMaxAgeSec: seconds, Override: true },
        },
      },
    },
  },
})

const originAccess = (name: string, type: 's3' | 'lambda') => ({
  Type: 'AWS::CloudFront::OriginAccessControl',
  Properties: {
    OriginAccessControlConfig: {
      Name: sub(`{AWS::StackName}-${name}`),
      OriginAccessControlOriginType: type,
      SigningBehavior: 'always',
      SigningProtocol: 'sigv4',
    },
  },
})
