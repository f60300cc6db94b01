/** Expressions of workflows, by the evaluator of GitHub. */
import { data, Evaluator, Lexer, Parser, type data as Data } from '@actions/expressions'

type Value = string | number | boolean
/** `inputs`, `steps` and so on. A missing value is the empty text. */
export interface Contexts {
  readonly [name: string]: Value | undefined | Contexts
}

/** A text with `${{ … }}` in it. One expression alone keeps its type. */
export function fillIn(text: string, contexts: Contexts, hasFailed = false): Value {
  const [whole, alone] = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s.exec(text.trim()) ?? []
  if (whole !== undefined) return evaluate(alone ?? '', contexts, hasFailed)
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, inner: string) => String(evaluate(inner, contexts, hasFailed)))
}

/** An `if`: it asks for success unless it asks for a status itself. */
export function holds(condition: string | undefined, contexts: Contexts, hasFailed: boolean): boolean {
  if (condition === undefined) return !hasFailed
  const asksForStatus = /\b(?:always|success|failure|cancelled)\(\)/.test(condition)
  return (asksForStatus || !hasFailed) && Boolean(fillIn(condition, contexts, hasFailed))
}

function evaluate(source: string, contexts: Contexts, hasFailed: boolean): Value {
  const status = (name: string, isTrue: boolean) =>
    [name, { name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(isTrue) }] as const
  const functions = [status('always', true), status('success', !hasFailed), status('failure', hasFailed)]
  const known = functions.map(([, one]) => one)
  const { tokens } = new Lexer(source).lex()
  const parsed = new Parser(tokens, Object.keys(contexts), known).parse()
  const result = new Evaluator(parsed, asData(contexts), new Map(functions)).evaluate()
  return result instanceof data.BooleanData ? result.value : result.coerceString()
}

const asData = (contexts: Contexts): Data.Dictionary =>
  new data.Dictionary(
    ...Object.entries(contexts).map(([key, value]) => ({ key, value: valueOf(value) }) as const),
  )

function valueOf(value: Contexts[string]): Data.ExpressionData {
  if (typeof value === 'object') return asData(value)
  if (typeof value === 'boolean') return new data.BooleanData(value)
  return typeof value === 'number' ? new data.NumberData(value) : new data.StringData(value ?? '')
}
