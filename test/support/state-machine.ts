/** A small interpreter of Step Functions: state machines in JSONata with the states that ours have. */
import jsonata from 'jsonata'

type Json = Readonly<Record<string, unknown>>

interface State {
  readonly Type: string
  readonly Resource?: string
  readonly Arguments?: unknown
  readonly Assign?: Json
  readonly Choices?: readonly { readonly Condition: string; readonly Next: string }[]
  readonly Default?: string
  readonly Next?: string
  readonly Catch?: readonly {
    readonly ErrorEquals: readonly string[]
    readonly Assign?: Json
    readonly Next: string
  }[]
  readonly Cause?: string
}

export interface StateMachine {
  readonly StartAt: string
  readonly States: Readonly<Record<string, State>>
}

/** A task that fails: its error is `States.TaskFailed`. */
export class TaskFailed extends Error {}

export interface Execution {
  readonly status: 'SUCCEEDED' | 'FAILED'
  /** The names of the states, in order. */
  readonly states: readonly string[]
  /** Why it failed. */
  readonly cause: string | null
}

/** Source: the Amazon States Language, and "Transforming data with JSONata in Step Functions". */
export async function execute(
  { StartAt, States }: StateMachine,
  input: Json,
  context: Json,
  run: (resource: string, args: unknown) => Promise<unknown>,
): Promise<Execution> {
  const variables: Record<string, unknown> = {}
  const states: string[] = []
  const evaluated = async (value: unknown, more: Json = {}): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map((item) => evaluated(item, more)))
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(
        async ([name, item]) => [name, await evaluated(item, more)] as const,
      )
      return Object.fromEntries(await Promise.all(entries))
    }
    const [, expression] = typeof value === 'string' ? (/^\{%(.*)%\}$/s.exec(value) ?? []) : []
    if (expression === undefined) return value
    const parsed = jsonata(expression)
    parsed.registerFunction('parse', (text: string) => JSON.parse(text) as unknown)
    const result: unknown = await parsed.evaluate({}, { ...variables, states: { input, context, ...more } })
    if (result === undefined) throw new Error(`States.QueryEvaluationError: ${expression} returned nothing`)
    return result
  }
  const assign = async (assigned: Json = {}, more: Json) => {
    Object.assign(variables, await evaluated(assigned, more))
  }

  for (let name = StartAt; ;) {
    const state = States[name]
    if (state === undefined) throw new Error(`there is no state ${name}`)
    states.push(name)
    let next = state.Next
    if (state.Type === 'Succeed') return { status: 'SUCCEEDED', states, cause: null }
    if (state.Type === 'Fail')
      return { status: 'FAILED', states, cause: String(await evaluated(state.Cause)) }
    if (state.Type === 'Choice') {
      const holds = async (condition: string) => (await evaluated(condition)) === true
      next = state.Default
      for (const choice of (state.Choices ?? []).toReversed())
        if (await holds(choice.Condition)) next = choice.Next
    } else if (state.Type === 'Task') {
      try {
        const result = await run(state.Resource ?? '', await evaluated(state.Arguments))
        await assign(state.Assign, { result })
      } catch (error) {
        if (!(error instanceof TaskFailed)) throw error
        const caught = state.Catch?.find(({ ErrorEquals }) =>
          ErrorEquals.some((one) => ['States.TaskFailed', 'States.ALL'].includes(one)),
        )
        if (caught === undefined) return { status: 'FAILED', states, cause: error.message }
        await assign(caught.Assign, { errorOutput: { Error: 'States.TaskFailed', Cause: error.message } })
        next = caught.Next
      }
    } else throw new Error(`${name} is a ${state.Type}`)
    if (next === undefined) return { status: 'SUCCEEDED', states, cause: null }
    name = next
  }
}
