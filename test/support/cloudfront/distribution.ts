/** What the template says of the distribution, as far as a local one follows it. */

export interface Distribution {
  readonly origins: ReadonlyMap<string, { readonly path: string }>
  readonly target: string
  readonly allowedMethods: readonly string[]
  readonly compresses: boolean
  readonly functions: ReadonlyMap<string, string>
  readonly cache: CachePolicy
  /** How long a status from 400 on is kept at least, in seconds. */
  readonly errorSeconds: ReadonlyMap<number, number>
}

export interface CachePolicy {
  readonly minSeconds: number
  readonly maxSeconds: number
  readonly headers: readonly string[]
  readonly queries: readonly string[]
  readonly gzip: boolean
  readonly brotli: boolean
}

type Json = Readonly<Record<string, unknown>>

/** @param template what `fundpress edge cloudfront` wrote as template.json */
export function readDistribution(template: Json): Distribution {
  const resources = template['Resources'] as Readonly<Record<string, { Type: string; Properties: Json }>>
  const config = at(resources['Distribution']?.Properties, 'DistributionConfig') as Json
  const behaviour = config['DefaultCacheBehavior'] as Json
  const codeOf = (arn: unknown): string => {
    const [name] = (arn as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt']
    return resources[name]?.Properties['FunctionCode'] as string
  }
  const policyName = (behaviour['CachePolicyId'] as { Ref: string }).Ref
  const policy = at(resources[policyName]?.Properties, 'CachePolicyConfig') as Json
  const key = policy['ParametersInCacheKeyAndForwardedToOrigin'] as Json
  const errors = config['CustomErrorResponses'] as { ErrorCode: number; ErrorCachingMinTTL: number }[]
  const origins = config['Origins'] as { Id: string; OriginPath?: string }[]
  const functions = behaviour['FunctionAssociations'] as { EventType: string; FunctionARN: unknown }[]
  return {
    origins: new Map(origins.map(({ Id, OriginPath = '' }) => [Id, { path: OriginPath }])),
    target: behaviour['TargetOriginId'] as string,
    allowedMethods: behaviour['AllowedMethods'] as string[],
    compresses: behaviour['Compress'] === true,
    functions: new Map(functions.map(({ EventType, FunctionARN }) => [EventType, codeOf(FunctionARN)])),
    cache: {
      minSeconds: policy['MinTTL'] as number,
      maxSeconds: policy['MaxTTL'] as number,
      headers: (at(key, 'HeadersConfig', 'Headers') as string[]).map((name) => name.toLowerCase()),
      queries: at(key, 'QueryStringsConfig', 'QueryStrings') as string[],
      gzip: key['EnableAcceptEncodingGzip'] === true,
      brotli: key['EnableAcceptEncodingBrotli'] === true,
    },
    errorSeconds: new Map(errors.map(({ ErrorCode, ErrorCachingMinTTL }) => [ErrorCode, ErrorCachingMinTTL])),
  }
}

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner, name) => (inner as Json | undefined)?.[name], value)
