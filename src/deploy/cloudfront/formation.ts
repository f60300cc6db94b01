/** CloudFormation as data: the form of a template, and its functions. Source: CloudFormation's user guide. */

export interface Template {
  readonly AWSTemplateFormatVersion: '2010-09-09'
  readonly Description: string
  readonly Parameters: Readonly<Record<string, Parameter>>
  readonly Conditions: Readonly<Record<string, unknown>>
  readonly Resources: Resources
  readonly Outputs: Readonly<Record<string, Output>>
}

export interface Parameter {
  readonly Type: 'String' | 'Number'
  readonly Description: string
  readonly Default?: string | number
  readonly AllowedPattern?: string
  readonly AllowedValues?: readonly string[]
  readonly MinValue?: number
}

export interface Resource {
  readonly Type: string
  /** The name of a condition: without it the resource is always there. */
  readonly Condition?: string
  readonly DependsOn?: string
  /** What becomes of it when the stack is deleted, or when an update replaces it. */
  readonly DeletionPolicy?: 'Retain'
  readonly UpdateReplacePolicy?: 'Retain'
  readonly Properties: Readonly<Record<string, unknown>>
}

export type Resources = Readonly<Record<string, Resource>>

export interface Output {
  readonly Description: string
  readonly Condition?: string
  readonly Value: unknown
}

export const ref = (name: string) => ({ Ref: name })
export const attribute = (resource: string, name: string) => ({ 'Fn::GetAtt': [resource, name] })
/** A text with `{Name}` and `{Name.Attribute}` in it. */
export const sub = (text: string) => ({
  'Fn::Sub': text.replaceAll(/\{([A-Za-z0-9:.]+)\}/g, (named) => `$${named}`),
})
/** One of two values, by a condition; without the second there is no such property. */
export const when = (condition: string, then: unknown, otherwise: unknown = ref('AWS::NoValue')) => ({
  'Fn::If': [condition, then, otherwise],
})
export const equals = (one: unknown, other: unknown) => ({ 'Fn::Equals': [one, other] })
export const not = (condition: unknown) => ({ 'Fn::Not': [condition] })
export const and = (...conditions: readonly unknown[]) => ({ 'Fn::And': conditions })

/** A policy with these statements. */
export const policy = (...statements: readonly unknown[]) => ({
  Version: '2012-10-17',
  Statement: statements,
})
/** Who may take a role: a service of AWS. */
export const takenBy = (service: string) =>
  policy({ Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' })
