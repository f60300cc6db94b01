/** Test files share their process: each leaves the environment, the working folder and the exit code as it found them. */
import { afterAll, beforeAll } from 'vitest'
import { watchStartedPrograms } from './started-programs.ts'

watchStartedPrograms()

let before: NodeJS.ProcessEnv
let folder: string

beforeAll(() => {
  before = { ...process.env }
  folder = process.cwd()
})

afterAll(() => {
  for (const name of Object.keys(process.env))
    if (!(name in before)) Reflect.deleteProperty(process.env, name)
  Object.assign(process.env, before)
  process.chdir(folder)
})
