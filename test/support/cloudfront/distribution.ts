/** What the template says of the distribution, as far as a local one follows it. */

export type Distribution = ReturnType<typeof readDistribution>

type Json = Readonly<Record<string, unknown>>

/** @param template what `fundpress edge cloudfront` wrote as template.json */
export function readDistribution(template: Json) {
  const resources = template['Resources'] as Readonly<Record<string, { Type: string; Properties: Json }>>
  const config = at(resources['Distribution']?.Properties, 'DistributionConfig') as Json
  const behaviour = config['DefaultCacheBehavior'] as Json
  const codeOf = (arn: unknown): string => {
    const [name] = (arn as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt']
    return resources[name]?.Properties['FunctionCode'] as string
  }
  const cacheOf = (given: Json) => {
    const policyName = (given['CachePolicyId'] as { Ref: string }).Ref
    const policy = at(resources[policyName]?.Properties, 'CachePolicyConfig') as Json
    const key = policy['ParametersInCacheKeyAndForwardedToOrigin'] as Json
    return {
      minSeconds: policy['MinTTL'] as number,
      maxSeconds: policy['MaxTTL'] as number,
      headers: ((at(key, 'HeadersConfig', 'Headers') ?? []) as string[]).map((name) => name.toLowerCase()),
      queries: (at(key, 'QueryStringsConfig', 'QueryStrings') ?? []) as string[],
      /** By preference. */
      codings: [
        ...(key['EnableAcceptEncodingBrotli'] === true ? ['br'] : []),
        ...(key['EnableAcceptEncodingGzip'] === true ? ['gzip'] : []),
      ],
    }
  }
  const others = config['CacheBehaviors'] as Json[]
  const errors = config['CustomErrorResponses'] as { ErrorCode: number; ErrorCachingMinTTL: number }[]
  const origins = config['Origins'] as { Id: string; OriginPath?: string }[]
  const functions = behaviour['FunctionAssociations'] as { EventType: string; FunctionARN: unknown }[]
  return {
    originPaths: new Map(origins.map(({ Id, OriginPath = '' }) => [Id, OriginPath])),
    target: behaviour['TargetOriginId'] as string,
    allowedMethods: behaviour['AllowedMethods'] as string[],
    compresses: behaviour['Compress'] === true,
    functions: Object.fromEntries(
      functions.map(({ EventType, FunctionARN }) => [EventType, codeOf(FunctionARN)]),
    ),
    cache: cacheOf(behaviour),
    /** The cache policies of other behaviours, by their paths. They have the same target, and no functions. */
    otherCaches: new Map(others.map((other) => [other['PathPattern'] as string, cacheOf(other)])),
    /** How long a status from 400 on is kept at least, in seconds. */
    errorSeconds: new Map(errors.map(({ ErrorCode, ErrorCachingMinTTL }) => [ErrorCode, ErrorCachingMinTTL])),
  }
}

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner, name) => (inner as Json | undefined)?.[name], value)
