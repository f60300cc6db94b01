/** Programs in Python, whose answer is JSON. */
import { execFileSync } from 'node:child_process'
import { canRun } from './programs.ts'

/** Runs a program with arguments. */
export const python = <T>(program: string, ...args: readonly string[]): T => runIn('python3', program, args)

/** The Python that has a library: that of the system, where another one comes first. */
export const interpreterWith = (library: string): string | undefined =>
  ['python3', '/usr/bin/python3'].find((each) => canRun(each, '-c', `import ${library}`))

/** What runs programs that import a library, with arguments. Undefined if no Python has it. */
export function pythonWith(library: string) {
  const interpreter = interpreterWith(library)
  if (interpreter === undefined) return undefined
  return <T>(program: string, ...args: readonly string[]): T => runIn(interpreter, program, args)
}

const runIn = <T>(interpreter: string, program: string, args: readonly string[]) =>
  JSON.parse(
    execFileSync(interpreter, ['-c', program, ...args], { maxBuffer: 1 << 30, encoding: 'utf8' }),
  ) as T
