/** Takes a request's target apart: path, query, percent escapes. Pure text, no routes and no funds. */
export interface Target {
  /** As it stands on the request line, up to the question mark. */
  readonly path: string
  /** With its question mark; empty when there is nothing behind that. */
  readonly rawQuery: string
  /** The first value of the parameter whose name is written so; decoded, unless it is longer than 255 bytes. */
  readonly parameter: (name: string) => string | undefined
}

export function readTarget(target: string): Target {
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const rawQuery = mark < 0 || mark === target.length - 1 ? '' : target.slice(mark)
  const pairs = rawQuery
    .slice(1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
      return [name, value] as const
    })
  const parameter = (name: string): string | undefined => {
    const value = pairs.find(([given]) => given === name)?.[1]
    return value === undefined || value.length > 255 ? value : decodePercent(value.replaceAll('+', ' '))
  }
  return { path, rawQuery, parameter }
}

/** Text with its percent escapes decoded; text with one that cannot be decoded stands as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
