/** GitHub's expressions, as far as our own files use them: anything else throws. Source: GitHub's documentation, "Expressions". */
import { runInNewContext } from 'node:vm'

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

/** Operators and truth are those of JavaScript, but for the comparison of texts in another case: our files have none. */
function evaluate(source: string, contexts: Contexts, hasFailed: boolean): Value {
  const token = /'(?:[^']|'')*'|[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*\(?|==|!=|&&|\|\||[!(),]|\s+|./gs
  const script = source.replace(token, (found) => {
    if (found.startsWith("'")) return JSON.stringify(found.slice(1, -1).replaceAll("''", "'"))
    if (/^(true|false|\w+\(|&&|\|\||[!(),]|\s+)$/.test(found)) return found
    if (found === '==' || found === '!=') return `${found}=`
    if (/^[A-Za-z_]/.test(found)) return `(${JSON.stringify(lookUp(found, contexts))})`
    throw new Error(`expression ${source}: ${found} is not understood`)
  })
  const startsWith = (text: string, start: string) => text.toLowerCase().startsWith(start.toLowerCase())
  const functions = { always: () => true, success: () => !hasFailed, failure: () => hasFailed, startsWith }
  return runInNewContext(script, functions) as Value
}

function lookUp(path: string, contexts: Contexts): Value {
  const [first = '', ...rest] = path.split('.')
  if (!(first in contexts)) throw new Error(`expression ${path}: the runner of the tests has no ${first}`)
  let found = contexts[first]
  for (const name of rest) found = typeof found === 'object' ? found[name] : ''
  if (typeof found === 'object') throw new Error(`expression ${path} is no value`)
  return found ?? ''
}
