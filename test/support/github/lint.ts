/** GitHub's own validation of workflows and actions, as editors have it. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { once } from '../once.ts'
import { makeTempFolder, repository } from '../product.ts'
import { readAction } from './files.ts'

/** What the actions of others take. Source: their action.yml, of the versions that we pin. */
const inputsOfOthers: Readonly<Record<string, string>> = {
  'actions/checkout': 'persist-credentials fetch-depth',
  'actions/setup-node': 'node-version package-manager-cache cache',
  'aws-actions/configure-aws-credentials': 'role-to-assume role-duration-seconds aws-region',
  'actions/upload-artifact': 'name path retention-days if-no-files-found overwrite',
  'actions/download-artifact': 'name path run-id github-token pattern',
  'docker/setup-buildx-action': 'cache-binary',
  'sigstore/cosign-installer': '',
}

interface Reference {
  readonly owner: string
  readonly name: string
  readonly path?: string
}
interface LanguageService {
  readonly TextDocument: {
    readonly create: (uri: string, language: string, version: 1, text: string) => object
  }
  readonly validate: (
    document: object,
    config: { readonly actionsMetadataProvider: object },
  ) => Promise<readonly { readonly message: string; readonly range: { readonly start: { line: number } } }[]>
}

const makeService = (): LanguageService => {
  const folder = makeTempFolder()
  // The package imports JSON as only bundlers do.
  const contents = `export { validate } from '@actions/languageservice'
    export { TextDocument } from 'vscode-languageserver-textdocument'`
  const outfile = folder.file('language-service.cjs')
  const common = { bundle: true, platform: 'node', format: 'cjs' } as const
  buildSync({ ...common, stdin: { contents, resolveDir: repository }, outfile })
  const service = createRequire(outfile)(outfile) as LanguageService
  folder.remove()
  return service
}

const ours = '.github/actions/'
const actionsMetadataProvider = {
  fetchActionMetadata: ({ owner, name, path = '' }: Reference) => {
    const names = inputsOfOthers[`${owner}/${name}`]?.split(' ')
    const others = names && { name, inputs: Object.fromEntries(names.map((one) => [one, {}])) }
    return Promise.resolve(path.startsWith(ours) ? readAction(join(repository, path, 'action.yml')) : others)
  },
}
let documents = 0

/** GitHub's own validation of a workflow or an action. It keeps what it has read, by address. */
export async function lint(text: string, name: string): Promise<readonly string[]> {
  // A local action is not looked up; one of a repository is.
  const published = text.replaceAll(/uses: \.\/(\.github\/actions\/.*)/g, 'uses: own/own/$1@main')
  const service = await once('language service', () => Promise.resolve(makeService()))
  const document = service.TextDocument.create(`file:///${++documents}/${name}`, 'yaml', 1, published)
  const found = await service.validate(document, { actionsMetadataProvider })
  return found.map(({ message, range }) => `line ${range.start.line + 1}: ${message}`)
}
