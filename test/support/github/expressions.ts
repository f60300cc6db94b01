/** GitHub's expressions, as far as our own files use them: anything else throws. Source: GitHub's documentation, "Expressions". */

export type Value = string | number | boolean | null
/** `inputs`, `steps` and so on; what is not there is null. */
export interface Contexts {
  readonly [name: string]: Value | undefined | Contexts
}
/** What `success()` and its like say. */
export interface StatusSoFar {
  readonly hasFailed: boolean
}

/** A text with `${{ … }}` in it. One expression alone keeps its type. */
export function fillIn(text: string, contexts: Contexts, status: StatusSoFar = { hasFailed: false }): Value {
  const [whole, alone] = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s.exec(text.trim()) ?? []
  if (whole !== undefined) return evaluate(alone ?? '', contexts, status)
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, inner: string) => asText(evaluate(inner, contexts, status)))
}

/** An `if`: it asks for success where it asks for no status itself. */
export function holds(condition: string | undefined, contexts: Contexts, status: StatusSoFar): boolean {
  if (condition === undefined) return !status.hasFailed
  const asksForStatus = /\b(?:always|success|failure|cancelled)\(\)/.test(condition)
  return (asksForStatus || !status.hasFailed) && isTrue(fillIn(condition, contexts, status))
}

export const asText = (value: Value): string => (value === null ? '' : String(value))

const isTrue = (value: Value) => value !== null && value !== '' && value !== false && value !== 0

const token = /\s*(?:('(?:[^']|'')*')|([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)|(==|!=|&&|\|\||[!(),]))/y

function evaluate(source: string, contexts: Contexts, { hasFailed }: StatusSoFar): Value {
  const tokens = tokensOf(source)
  let at = 0
  const take = (wanted: string) => {
    if (tokens[at] !== wanted) return false
    at++
    return true
  }
  const must = (wanted: string) => {
    if (!take(wanted)) throw new Error(`expression ${source}: ${wanted} is missing`)
  }
  const call = (name: string): Value => {
    const given: Value[] = []
    while (tokens[at] !== ')') {
      given.push(or())
      if (!take(',')) break
    }
    must(')')
    switch (name) {
      case 'always':
        return true
      case 'startsWith':
        return asText(given[0] ?? null)
          .toLowerCase()
          .startsWith(asText(given[1] ?? null).toLowerCase())
      case 'success':
        return !hasFailed
      case 'failure':
        return hasFailed
      default:
        throw new Error(`expression ${source}: the runner of the tests knows no ${name}()`)
    }
  }
  const primary = (): Value => {
    const next = tokens[at++] ?? ''
    if (next === '(') {
      const inner = or()
      must(')')
      return inner
    }
    if (next.startsWith("'")) return next.slice(1, -1).replaceAll("''", "'")
    if (next === 'true' || next === 'false') return next === 'true'
    if (!/^[A-Za-z_]/.test(next)) throw new Error(`expression ${source}: ${next} is not expected`)
    return take('(') ? call(next) : lookUp(next, contexts)
  }
  const not = (): Value => (take('!') ? !isTrue(not()) : primary())
  const equal = (): Value => {
    const left = not()
    if (take('==')) return isEqual(left, not(), source)
    return take('!=') ? !isEqual(left, not(), source) : left
  }
  const and = (): Value => {
    let left = equal()
    while (take('&&')) {
      const right = equal()
      if (isTrue(left)) left = right
    }
    return left
  }
  const or = (): Value => {
    let left = and()
    while (take('||')) {
      const right = and()
      if (!isTrue(left)) left = right
    }
    return left
  }
  const value = or()
  if (at !== tokens.length) throw new Error(`expression ${source}: ${tokens[at] ?? ''} is too much`)
  return value
}

function tokensOf(source: string): string[] {
  const tokens: string[] = []
  token.lastIndex = 0
  for (let end = 0; source.slice(end).trim() !== ''; end = token.lastIndex) {
    const [, text, name, sign] = token.exec(source) ?? []
    const found = text ?? name ?? sign
    if (found === undefined) throw new Error(`expression ${source}: ${source.slice(end)} is not understood`)
    tokens.push(found)
  }
  return tokens
}

function lookUp(path: string, contexts: Contexts): Value {
  const [first = '', ...rest] = path.split('.')
  if (!(first in contexts)) throw new Error(`expression ${path}: the runner of the tests has no ${first}`)
  let found: Value | undefined | Contexts = contexts[first]
  for (const name of rest) found = typeof found === 'object' && found !== null ? found[name] : null
  if (typeof found === 'object' && found !== null) throw new Error(`expression ${path} is no value`)
  return found ?? null
}

/** Texts are compared without regard to case; what is not there is as the empty text. */
function isEqual(left: Value, right: Value, source: string): boolean {
  if (typeof (left ?? '') !== typeof (right ?? '')) throw new Error(`expression ${source} compares two types`)
  return asText(left).toLowerCase() === asText(right).toLowerCase()
}
