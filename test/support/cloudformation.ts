/** Templates of CloudFormation: what is wrong with one by the published resource specification, and what one becomes. */
import { loadAwsServiceSpec } from '@aws-cdk/aws-service-spec'
import type { PropertyType, SpecDatabase } from '@aws-cdk/service-spec-types'

type Json = Readonly<Record<string, unknown>>

export interface Template {
  readonly Parameters: Readonly<
    Record<
      string,
      { readonly Type: string; readonly Default?: string | number; readonly AllowedPattern?: string }
    >
  >
  readonly Conditions: Json
  readonly Resources: Readonly<Record<string, { Type: string; Condition?: string; Properties: Json }>>
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>
}

type Properties = Readonly<Record<string, { readonly type: PropertyType; readonly required?: boolean }>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const simple: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  json: isObject,
}

/** Reading it takes a second. */
let specification: Promise<SpecDatabase> | undefined

/** @returns a line for every mistake: unknown and missing properties, values of another kind, names that lead nowhere */
export async function mistakesIn(template: Template): Promise<string[]> {
  const database = await (specification ??= loadAwsServiceSpec())
  const mistakes: string[] = []
  const say = (path: string, what: string) => mistakes.push(`${path}: ${what}`)
  const resourceOf = (type: string) => database.lookup('resource', 'cloudFormationType', 'equals', type)[0]

  for (const [name, resource] of Object.entries(template.Resources)) {
    const known = resourceOf(resource.Type)
    if (known === undefined) say(name, `no resource ${resource.Type}`)
    else checkProperties(name, resource.Properties, known.properties)
    if (resource.Condition !== undefined && !(resource.Condition in template.Conditions))
      say(name, `no condition ${resource.Condition}`)
  }
  visit('', template)
  return mistakes

  function checkProperties(path: string, given: Json, known: Properties): void {
    for (const [name, { required }] of Object.entries(known))
      if (required === true && given[name] === undefined) say(path, `${name} is missing`)
    for (const [name, value] of Object.entries(given)) {
      const property = known[name]
      if (property === undefined) say(path, `no property ${name}`)
      else checkValue(`${path}.${name}`, value, property.type)
    }
  }

  function checkValue(path: string, value: unknown, type: PropertyType): void {
    const made = isObject(value) ? Object.keys(value)[0] : undefined
    if (isObject(value) && made === 'Fn::If') {
      const [condition, ...branches] = value['Fn::If'] as [string, ...unknown[]]
      if (!(condition in template.Conditions)) say(path, `no condition ${condition}`)
      for (const branch of branches) checkValue(path, branch, type)
      return
    }
    if (isObject(value) && made !== undefined && /^(Ref$|Fn::)/.test(made)) {
      const { Ref: name } = value
      if (name === 'AWS::NoValue') return
      const isNumber = typeof name === 'string' && template.Parameters[name]?.Type === 'Number'
      const kinds = isNumber ? ['number', 'integer', 'string'] : ['string', 'json']
      const types = type.type === 'union' ? type.types : [type]
      if (!types.some((one) => kinds.includes(one.type))) say(path, `a ${type.type} is made by ${made}`)
      return
    }
    if (!fits(database, path, value, type)) say(path, `${JSON.stringify(value)} is no ${type.type}`)
  }

  /** Looks into lists and structures as well. */
  function fits(known: SpecDatabase, path: string, value: unknown, type: PropertyType): boolean {
    const isSimple = simple[type.type]
    if (isSimple !== undefined) return isSimple(value)
    switch (type.type) {
      case 'string':
        return typeof value === 'string' && (type.allowedValues?.includes(value) ?? true)
      case 'array':
      case 'map': {
        const isKind = type.type === 'array' ? Array.isArray(value) : isObject(value)
        if (isKind)
          for (const [name, item] of Object.entries(value as object))
            checkValue(`${path}.${name}`, item, type.element)
        return isKind
      }
      case 'ref':
        if (!isObject(value)) return false
        checkProperties(path, value, known.get('typeDefinition', type.reference).properties)
        return true
      case 'union':
        return type.types.some((one) => fits(known, path, value, one))
      default:
        return false
    }
  }

  /** Every Ref, GetAtt and Sub leads to something, wherever it stands. */
  function visit(path: string, value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      const at = `${path}.${name}`
      if (name === 'Ref') checkName(at, inner as string)
      else if (name === 'Fn::GetAtt') checkAttribute(at, ...(inner as [string, string]))
      else if (name === 'Fn::Sub') checkSub(at, inner as string)
      else visit(at, inner)
    }
  }

  function checkName(path: string, name: string): void {
    if (/^AWS::(AccountId|NoValue|Partition|Region|StackName|URLSuffix)$/.test(name)) return
    if (!(name in template.Parameters) && !(name in template.Resources))
      say(path, `nothing is called ${name}`)
  }

  function checkAttribute(path: string, name: string, attribute: string): void {
    const resource = template.Resources[name]
    const attributes = resource === undefined ? undefined : resourceOf(resource.Type)?.attributes
    if (attributes === undefined) say(path, `no resource is called ${name}`)
    else if (!(attribute in attributes)) say(path, `${resource?.Type ?? ''} has no attribute ${attribute}`)
  }

  function checkSub(path: string, text: string): void {
    for (const [, name = ''] of text.matchAll(/\$\{([^}]+)\}/g)) {
      const [resource = '', ...attribute] = name.split('.')
      if (attribute.length === 0) checkName(path, name)
      else checkAttribute(path, resource, attribute.join('.'))
    }
  }
}

/** Conditions and parameters that nothing uses. */
export function unusedIn({ Parameters, Conditions, ...rest }: Template): string[] {
  const isIn = (text: string) => (name: string) => text.includes(`"${name}"`) || text.includes(`\${${name}}`)
  const isUsed = isIn(JSON.stringify(rest))
  const isAsked = isIn(JSON.stringify(Conditions))
  return [
    ...Object.keys(Conditions).filter((name) => !isUsed(name)),
    ...Object.keys(Parameters).filter((name) => !isUsed(name) && !isAsked(name)),
  ]
}

/** Every statement of every policy, wherever it stands. */
export interface Statement {
  readonly Sid?: string
  readonly Effect: string
  readonly Principal?: unknown
  readonly Action: string | readonly string[]
  readonly Resource?: unknown
  readonly Condition?: unknown
}
export function statementsIn(value: unknown): Statement[] {
  if (typeof value !== 'object' || value === null) return []
  if ('Effect' in value) return [value as Statement]
  return Object.values(value).flatMap(statementsIn)
}

/**
 * What CloudFormation makes of a template with these parameters: functions have their values, and what a condition leaves out is
 * gone. A resource is called by its logical name, an attribute `Name.Attribute`.
 */
export function filledIn(
  template: Template,
  parameters: Readonly<Record<string, string | number>>,
): Template {
  const left = Object.keys(parameters).filter((name) => !(name in template.Parameters))
  if (left.length > 0) throw new Error(`the template has no parameter ${left.join(', ')}`)
  const pseudo = { Partition: 'aws', Region: 'us-east-1', AccountId: '123456789012', StackName: 'fundpress' }
  const nothing = Symbol('AWS::NoValue')
  const valueOf = (name: string): unknown => {
    if (name === 'AWS::NoValue') return nothing
    if (name.startsWith('AWS::')) return pseudo[name.slice(5) as keyof typeof pseudo]
    const { [name]: parameter } = template.Parameters
    if (parameter === undefined) return name
    const value = parameters[name] ?? parameter.Default
    if (value === undefined) throw new Error(`the parameter ${name} is missing`)
    return parameter.Type === 'Number' ? Number(value) : value
  }
  const holds = (name: string) => fill(template.Conditions[name]) === true
  const functions: Readonly<Record<string, (inner: never) => unknown>> = {
    Ref: valueOf,
    'Fn::GetAtt': ([name, attribute]: [string, string]) => `${name}.${attribute}`,
    'Fn::Sub': (text: string) => text.replace(/\$\{([^}]+)\}/g, (_, name: string) => String(valueOf(name))),
    'Fn::If': ([condition, yes, no]: [string, unknown, unknown]) => fill(holds(condition) ? yes : no),
    'Fn::Not': ([condition]: [unknown]) => fill(condition) !== true,
    'Fn::And': (conditions: readonly unknown[]) => conditions.every((one) => fill(one) === true),
    'Fn::Select': ([index, list]: [number, unknown]) => (fill(list) as readonly unknown[])[index],
    'Fn::Split': ([by, text]: [string, unknown]) => String(fill(text)).split(by),
    'Fn::Equals': ([one, other]: [unknown, unknown]) => String(fill(one)) === String(fill(other)),
  }
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill).filter((item) => item !== nothing)
    if (!isObject(value)) return value
    const [name = '', inner] = Object.entries(value)[0] ?? []
    const made = Object.keys(value).length === 1 ? functions[name] : undefined
    if (made !== undefined) return made(inner as never)
    const entries = Object.entries(value).map(([key, item]) => [key, fill(item)] as const)
    return Object.fromEntries(entries.filter(([, item]) => item !== nothing))
  }
  const resources = Object.entries(template.Resources).filter(
    ([, { Condition }]) => Condition === undefined || holds(Condition),
  )
  return { ...template, Resources: fill(Object.fromEntries(resources)) as Template['Resources'] }
}
