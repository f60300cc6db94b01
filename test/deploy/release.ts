/** A repository that can be released, a registry of npm, and stand-ins for the programs that need GitHub, images or Sigstore. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { cleanEnvironment } from '../cli/run.ts'
import { listen } from '../support/request.ts'

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

/** What npm's registry keeps of one package. */
interface Published {
  readonly 'dist-tags': Record<string, string>
  readonly versions: Record<string, { readonly dist: { readonly integrity: string } }>
}

/** A registry that has just one package, and takes new versions of it. */
export async function startRegistry() {
  const registry = {
    published: null as Published | null,
    puts: 0,
  }
  const server = createServer((request, response) => {
    void (async () => {
      const answer = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      if (request.method !== 'PUT')
        return registry.published === null
          ? answer(404, { error: 'not found' })
          : answer(200, { name: '@fundpress/cli', ...registry.published })
      const sent = (await json(request)) as Published
      registry.puts++
      registry.published = {
        'dist-tags': { ...registry.published?.['dist-tags'], ...sent['dist-tags'] },
        versions: { ...registry.published?.versions, ...sent.versions },
      }
      return answer(201, {})
    })()
  })
  return { ...(await listen(server)), registry }
}

const npm = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'npm'))
  .find(existsSync)

/**
 * Stand-ins: programs that write their arguments into `calls` and keep in files what the next one needs.
 * @param bin folder of the programs
 * @param state gets the files
 */
export function writeStandIns(bin: string, state: string, registry: string): void {
  const npmrc = join(state, 'npmrc')
  rmSync(state, { recursive: true, force: true })
  mkdirSync(state, { recursive: true })
  writeFileSync(npmrc, `//${new URL(registry).host}/:_authToken=token\nregistry=${registry}\n`)
  const write = (name: string, script: string) => {
    const head = `#!/bin/bash\nset -eu\nstate='${state}'\n`
    const log = `printf '%s\\n' "${name} $*" >> "$state/calls"\n`
    writeFileSync(join(bin, name), `${head}${log}${script}`, { mode: 0o755 })
  }
  write(
    'npm',
    `case $1 in
  ci) ;;
  # A package without our program, which takes long to build: package.test.ts packs the real one.
  pack)
    mkdir -p "$state/pack/package"
    cp package.json "$state/pack/package/"
    tar -C "$state/pack" --sort=name --mtime=@0 --owner=0 --group=0 -czf "$3/fundpress-cli-$(jq -r .version package.json).tgz" package
    ;;
  # Its program is that of the checkout, which has the version of this repository.
  install)
    if [[ $* == *.tgz ]]; then
      mkdir -p node_modules/.bin
      version=$(tar -xzOf "\${!#}" package/package.json | jq -r .version)
      printf '#!/bin/sh\\n[ "$1" != --version ] || exec echo %s\\nexec node "$GITHUB_WORKSPACE/src/cli/fundpress.mjs" "$@"\\n' "$version" > node_modules/.bin/fundpress
      chmod +x node_modules/.bin/fundpress
    else '${npm}' "$@" --offline
    fi ;;
  *) '${npm}' "$@" --userconfig '${npmrc}' --fetch-retries=0 --no-provenance ;;
esac
`,
  )
  write(
    'docker',
    `case "$1 \${2-} \${3-}" in
  login*) grep -q . ;;
  run*) ;;
  'buildx imagetools inspect') jq --raw-input '{ digest: . }' "$state/image-\${4##*:}" ;;
  'buildx imagetools create') ;;
  'buildx build '*)
    [ -e templates/container/Dockerfile ]
    for context in "$@"; do :; done
    ls "$context" > "$state/context"
    cp "$context"/*.tgz "$state/image.tgz"
    for word in "$@"; do case $word in ghcr.io/*) tag=\${word##*:} ;; esac; done
    printf 'sha256:%064d' "$RANDOM" > "$state/image-$tag" ;;
esac
`,
  )
  write(
    'cosign',
    `[ "$1" = sign ] || while [ $# -gt 0 ]; do [ "$1" = --bundle ] && sha256sum "$3" > "$2"; shift; done\n`,
  )
  write(
    'gh',
    `[ -n "$GH_TOKEN" ] && [ "$GH_REPO" = owner/funds ]
case "$1 $2" in
  'release list') cat "$state/draft" 2> /dev/null || : ;;
  'release create') echo true > "$state/draft"; for word in "$@"; do case $word in */notes.md) cp "$word" "$state/notes.md" ;; esac; done ;;
  'release upload') mkdir -p "$state/files"; shift 4; cp "$@" "$state/files" ;;
  'release edit') echo false > "$state/draft" ;;
esac
`,
  )
}

export const sha256Of = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

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
