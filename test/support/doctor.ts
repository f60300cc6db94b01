/** `fundpress doctor` on the bucket of a press, and what it finds. */
import { expect } from 'vitest'
import type { Press } from './press.ts'
import type { Run } from './product.ts'
import { bucketArgs } from './publishing.ts'

export interface DoctorOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The snapshot's folder; that of the first night unless given. */
  readonly out?: string
  /** In place of those that name the bucket. */
  readonly args?: readonly string[]
}

export function doctor(press: Press, { env, out, args }: DoctorOptions = {}): Promise<Run> {
  const [night = ''] = press.nights.outs
  const place = args ?? bucketArgs(press.server.endpoint, press.bucket.name)
  return press.bare(['doctor', '--out', out ?? night, ...place], env)
}

/** What is no `ok`, as `level what: says`; the exit code has to fit it. */
export async function troublesOf(press: Press, options: DoctorOptions = {}): Promise<readonly string[]> {
  const { args = bucketArgs(press.server.endpoint, press.bucket.name) } = options
  const { code, stdout } = await doctor(press, { ...options, args: [...args, '--json'] })
  const { problems, findings } = JSON.parse(stdout) as {
    readonly problems: number
    readonly findings: readonly { readonly what: string; readonly level: string; readonly says: string }[]
  }
  expect(code).toBe(problems > 0 ? 1 : 0)
  return findings
    .filter(({ level }) => level !== 'ok')
    .map(({ what, level, says }) => `${level} ${what}: ${says}`)
}
