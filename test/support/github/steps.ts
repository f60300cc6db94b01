/** Runs single scripts of our workflows and actions, with variables that a test gives, in the shell that GitHub uses. */
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { ended } from '../../cli/run.ts'
import { makeTempFolder, repository } from '../product.ts'
import { writeWarmProgram } from '../warm-program.ts'
import { readAction, type Step } from './files.ts'

type Texts = Readonly<Record<string, string>>

export type Checkout = ReturnType<typeof makeCheckout>

/** A checkout that tests may change: copies of .github and the program, links to everything else. */
export function makeCheckout() {
  const folder = makeTempFolder()
  const root = folder.file('checkout')
  const bin = folder.file('bin')
  const temp = folder.file('temp')
  const workspace = folder.file('workspace')
  for (const made of [bin, join(root, 'src/core/cli')]) mkdirSync(made, { recursive: true })
  cpSync(join(repository, '.github'), join(root, '.github'), { recursive: true })
  writeWarmProgram(join(root, 'src/fundpress.mjs'), folder.file('orders'))
  const namesIn = (under: string) => readdirSync(join(repository, under)).map((name) => join(under, name))
  for (const name of [
    'templates',
    'node_modules',
    'package.json',
    ...namesIn('src'),
    ...namesIn('src/core/cli'),
  ])
    if (!existsSync(join(root, name))) symlinkSync(join(repository, name), join(root, name))

  /** Runs the script of a step, in an empty workspace unless `cwd` is another folder. @param given all that is not empty */
  async function run(step: Step | undefined, given: Texts, surroundings: Texts, cwd = workspace) {
    if (step?.run === undefined) throw new Error('there is no such script')
    const declared = Object.keys(step.env ?? {})
    const unknown = Object.keys(given).filter((name) => !declared.includes(name))
    if (unknown.length > 0) throw new Error(`the step does not set ${unknown.join(', ')}`)
    rmSync(workspace, { recursive: true, force: true })
    for (const made of [temp, workspace]) mkdirSync(made, { recursive: true })
    const files = { GITHUB_OUTPUT: join(temp, 'outputs'), GITHUB_STEP_SUMMARY: join(temp, 'summary') }
    for (const file of Object.values(files)) writeFileSync(file, '')
    // Source: GitHub's documentation, `jobs.<job_id>.steps[*].shell`.
    const options = step.shell === 'bash' ? ['-eo', 'pipefail'] : ['-e']
    const child = spawn('/bin/bash', [...options, '-c', step.run], {
      cwd,
      env: {
        PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
        HOME: temp,
        RUNNER_TEMP: temp,
        GITHUB_ACTIONS: 'true',
        GITHUB_ACTOR: 'operator',
        GITHUB_SERVER_URL: 'https://github.example',
        GITHUB_REPOSITORY: 'owner/funds',
        GITHUB_REPOSITORY_OWNER: 'Owner',
        GITHUB_RUN_ID: '4711',
        GITHUB_REF_NAME: 'main',
        GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567',
        GITHUB_WORKFLOW: 'Nightly',
        // HOME differs from ours: compiled code is kept elsewhere.
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
        ...surroundings,
        ...Object.fromEntries(declared.map((name) => [name, given[name] ?? ''])),
        ...files,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const { code, stdout, stderr } = await ended(child)
    const written = readFileSync(files.GITHUB_OUTPUT, 'utf8').matchAll(/^([a-z-]+)=(.*)$/gm)
    return {
      code,
      log: stdout + stderr,
      summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'),
      outputs: Object.fromEntries([...written].map(([, name, value]) => [name, value])) as Texts,
    }
  }
  return {
    root,
    /** Programs that steps find before those of the machine. */
    bin,
    /** RUNNER_TEMP */
    temp,
    file: (name: string) => join(root, name),
    run,
    /** @param name of the step */
    runOf: (action: string, name: string, given: Texts, surroundings: Texts, cwd?: string) => {
      const path = join(root, '.github/actions', action)
      const step = readAction(join(path, 'action.yml')).runs.steps.find((one) => one.name === name)
      return run(step, given, { ...surroundings, GITHUB_ACTION_PATH: path }, cwd)
    },
    remove: folder.remove,
  }
}
