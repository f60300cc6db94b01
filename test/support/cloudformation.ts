/** Templates of CloudFormation: what cfn-lint says of one, and what one becomes with its parameters. */
import { spawnSync } from 'node:child_process'

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

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @returns what AWS's own linter finds in a template, a line each */
export function cfnLint(file: string, ...ignored: readonly string[]): string {
  const flags = ['--format', 'parseable', ...ignored.flatMap((rule) => ['--ignore-checks', rule])]
  const { error, stdout, stderr } = spawnSync('cfn-lint', [...flags, '--', file], { encoding: 'utf8' })
  if (error) throw error
  return stdout + stderr
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
