/** Programs in Python, whose answer is JSON. */
import { execFileSync, spawnSync } from 'node:child_process'

/** Runs a program with arguments. */
export const python = <T>(program: string, ...args: readonly string[]): T => runIn('python3', program, args)

/** What runs programs that import a library, with arguments. Undefined if no Python has it. */
export function pythonWith(library: string) {
  // Of the system, where another Python comes first.
  const interpreter = ['python3', '/usr/bin/python3'].find(
    (each) => spawnSync(each, ['-c', `import ${library}`]).status === 0,
  )
  if (interpreter === undefined) return undefined
  return <T>(program: string, ...args: readonly string[]): T => runIn(interpreter, program, args)
}

const runIn = <T>(interpreter: string, program: string, args: readonly string[]) =>
  JSON.parse(
    execFileSync(interpreter, ['-c', program, ...args], { maxBuffer: 1 << 30, encoding: 'utf8' }),
  ) as T
