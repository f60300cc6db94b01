/** Somebody without rights: root may do anything, so its tests of rights run as another user. */
import { spawnSync } from 'node:child_process'
import { launcher } from '../cli/run.ts'

const nobody = 65534

/** Who to run the program as; undefined where root's files are closed to everybody else. */
export const userWithoutRights: { readonly user?: number } | undefined =
  process.getuid?.() !== 0 ? {} : canRun(nobody) ? { user: nobody } : undefined

function canRun(user: number): boolean {
  const options = { uid: user, gid: user, cwd: '/', encoding: 'utf8' } as const
  return spawnSync(process.execPath, [launcher, '--version'], options).status === 0
}
