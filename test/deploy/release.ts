/** A repository that can be released, and stand-ins for the programs that need npm, GitHub, images or Sigstore. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { cleanEnvironment } from '../cli/run.ts'

const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
export const gitIn = (folder: string, ...args: readonly string[]) =>
  execFileSync('git', ['-C', folder, ...author, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim()

/** Commits a version to main. */
export function commitVersion(folder: string, version: string, message = `Version ${version}`): void {
  for (const name of ['package.json', 'package-lock.json'])
    writeFileSync(join(folder, name), JSON.stringify({ ...packageOf(folder, name), version }))
  gitIn(folder, 'add', 'package.json', 'package-lock.json')
  gitIn(folder, 'commit', '--quiet', '--allow-empty', '--message', message)
  gitIn(folder, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
}

const packageOf = (folder: string, name: string) =>
  existsSync(join(folder, name)) ? (JSON.parse(readFileSync(join(folder, name), 'utf8')) as object) : {}

const npm = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'npm'))
  .find(existsSync)

/**
 * Stand-ins: programs that write their arguments into `calls`.
 * @param bin folder of the programs
 * @param state gets the files that tests read, and those that they give: `integrity` is what npm has, `draft` whether the release is one
 */
export function writeStandIns(bin: string, state: string): void {
  mkdirSync(state, { recursive: true })
  const write = (name: string, script: string) => {
    const head = `#!/bin/bash\nset -eu\nstate='${state}'\nprintf '%s\\n' "${name} $*" >> "$state/calls"\n`
    writeFileSync(join(bin, name), head + script, { mode: 0o755 })
  }
  write(
    'npm',
    `case $1 in
  # A package without our program, which takes long to build: package.test.ts packs the real one.
  pack)
    mkdir -p "$state/pack/package"
    cp package.json "$state/pack/package/"
    tar -C "$state/pack" -czf "$3/fundpress-cli-$(jq -r .version package.json).tgz" package
    ;;
  view) cat "$state/integrity" 2> /dev/null || { echo '{ "error": { "code": "E404" } }'; exit 1; } ;;
  publish) ;;
  install) '${npm}' "$@" --offline ;;
  *) '${npm}' "$@" ;;
esac
`,
  )
  write(
    'docker',
    `case "$1 \${2-} \${3-}" in
  'buildx imagetools inspect') jq --raw-input '{ digest: . }' "$state/image" ;;
  'buildx build '*)
    for context in "$@"; do :; done
    ls "$context" > "$state/context"
    printf 'sha256:%064d' 1 > "$state/image" ;;
esac
`,
  )
  write(
    'cosign',
    `[ "$1" = sign ] || while [ $# -gt 0 ]; do [ "$1" = --bundle ] && sha256sum "$3" > "$2"; shift; done\n`,
  )
  write(
    'gh',
    `[ "$GH_TOKEN,$GH_REPO" = token,owner/funds ]\n[ "$2" != list ] || cat "$state/draft" 2> /dev/null || :\n`,
  )
}

/** As in a package's `dist.integrity`. */
export const integrityOf = (file: string) =>
  `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`

/** Runs a script of the release in a repository. @returns its exit code, what it printed, and its outputs */
export function runScript(folder: string, script: string, tag: string) {
  const output = join(dirname(folder), 'output')
  writeFileSync(output, '')
  const env = {
    ...cleanEnvironment(),
    GITHUB_REF_NAME: tag,
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_REPOSITORY: 'owner/funds',
    GITHUB_OUTPUT: output,
  }
  try {
    const stdout = execFileSync(process.execPath, [script], { cwd: folder, env, encoding: 'utf8' })
    return { code: 0, stdout, outputs: readFileSync(output, 'utf8') }
  } catch (error) {
    const { status, stdout } = error as { readonly status: number; readonly stdout: string }
    return { code: status, stdout, outputs: '' }
  }
}
