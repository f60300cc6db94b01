/** Every link of a document leads somewhere, in the package, too, and every file that a comment names is there. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository } from './support/folders.ts'

const folders = ['src', 'test', 'templates', '.github', '.ci']

/** Paths from the root of the repository: everything that a reference can name. */
const files = [
  ...readdirSync(repository, { withFileTypes: true }).filter((entry) => entry.isFile()),
  ...folders.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ),
  ),
].map((entry) => relative(repository, join(entry.parentPath, entry.name)))

const read = (file: string) => readFileSync(join(repository, file), 'utf8')
const isThere = (file: string) => existsSync(join(repository, file))
const isModule = (end: string) => files.some((file) => file === end || file.endsWith(`/${end}`))
/** But the guides, which link to published pages: test/site/pages/links.test.ts follows them. */
const documents = files.filter((file) => file.endsWith('.md') && !file.startsWith('templates/docs/'))
const programs = files.filter((file) => /^(src|test)\/.*\.(ts|mjs|js)$/.test(file))

describe('documents', () => {
  it.each(documents)('%s: no section stands twice', (document) => {
    const headings = [...withoutCode(read(document)).matchAll(/^#{1,6} .*$/gm)].map(([heading]) => heading)
    expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([])
  })
})

describe('links', () => {
  it.each(documents)('of %s resolve, with their headings', (document) => {
    const text = withoutCode(read(document))
    const targets = [...linksIn(text), ...text.matchAll(/<(?:img|source)\s[^>]*?(?:src|srcset)="([^"]+)"/g)]
    const broken = targets.filter(([, target = '']) => !isAddress(target) && !resolves(document, target))
    expect(broken.map(([link]) => link)).toEqual([])
  })

  it('of packed documents lead to packed files', () => {
    const packed = packedFiles()
    expect(packed).toEqual(expect.arrayContaining(['README.md', 'src/core/guards/README.md']))
    const broken = packed
      .filter((file) => documents.includes(file))
      .flatMap((document) =>
        linksIn(withoutCode(read(document))).flatMap(([link, target = '']) => {
          if (isAddress(target) || target.startsWith('#')) return []
          const path = join(dirname(document), target.replace(/#.*/, '')).replace(/\/$/, '')
          const isPacked = packed.some((file) => file === path || file.startsWith(`${path}/`))
          return isPacked ? [] : [`${document}: ${link}`]
        }),
      )
    expect(broken).toEqual([])
  })

  it.each(documents)('of %s: the files that it names are there', (document) => {
    const named = [...read(document).matchAll(/`((?:src|test|templates|\.github|\.ci)\/[\w./-]+)`/g)]
    const missing = named.map(([, path = '']) => path).filter((path) => !isThere(path))
    expect(missing).toEqual([])
  })

  it.each(documents)('of %s: the patterns of paths that it names fit files', (document) => {
    const named = [
      ...read(document).matchAll(/`((?:src|test|templates|\.github|\.ci)\/[\w./*-]*\*[\w./*-]*)`/g),
    ]
    const fitting = (pattern: string) => globSync(pattern, { cwd: repository })
    expect(named.map(([, pattern = '']) => pattern).filter((each) => fitting(each).length === 0)).toEqual([])
  })

  const maps = documents.filter((document) => /^src\/.*README\.md$/.test(document))
  it.each(maps)('of %s: a folder that a row of a table begins with is there', (document) => {
    const places = [dirname(document), 'src/core', '.']
    const named = [...read(document).matchAll(/^\| `((?:[\w.-]+\/)+)`/gm)].map(([, path = '']) => path)
    const missing = named.filter((path) => !places.some((place) => isThere(join(place, path))))
    expect(missing).toEqual([])
  })

  it.each(documents)('of %s: the modules that it names by the end of their path are there', (document) => {
    const named = [...read(document).matchAll(/`((?:[\w-]+\/)*[\w-][\w.-]*\.(?:ts|mjs))`/g)]
    const missing = named.map(([, path = '']) => path).filter((path) => !isModule(path))
    expect(missing).toEqual([])
  })
})

describe('commands', () => {
  /** Cloudflare's own package, in a major version that we know, and generators of clients, which CI tries. */
  const known = /^(?:wrangler@4|openapi-(?:fetch|typescript)|@hey-api\/openapi-ts)$/
  const { name, dependencies, devDependencies } = JSON.parse(read('package.json')) as {
    readonly name: string
    readonly dependencies: object
    readonly devDependencies: object
  }
  const ours = [name, ...Object.keys({ ...dependencies, ...devDependencies })]
  const isKnown = (name: string) =>
    known.test(name) || ours.includes(name.replace(/(?<!^)@[^@]*$/, '')) || /^[.$"'{<]|:\/\//.test(name)
  const packages =
    /\b(?:npx|npm (?:exec|x|install|i|add|create|init))(?:[ \t]+-[\w-]+)*[ \t]+([\w.@"'$<{][^\s`;)]*)/g

  it.each([
    ['npx fundpress build', ['fundpress']],
    ['npx --yes fundpress', ['fundpress']],
    ['npm install -g fundpress@1', ['fundpress@1']],
    ['npx @fundpress/cli@1 nightly', []],
    ['npx wrangler deploy', ['wrangler']],
    ['npx wrangler@4 deploy; npx vitest run; npm install zod@4; npm i -g https://example.com/a.tgz', []],
  ])("of `%s`, the packages %j could be anybody's", (line, unknown) => {
    const named = [...line.matchAll(packages)].map(([, name = '']) => name)
    expect(named.filter((name) => !isKnown(name))).toEqual(unknown)
  })

  it("of documents, templates, workflows and texts load no package whose name could be anybody's", () => {
    const texts = files.filter((file) => /\.(?:md|ya?ml|jsonc?|html|sh|service|timer)$|^src\//.test(file))
    const named = texts.flatMap((file) =>
      [...read(file).matchAll(packages)].map(([, name = '']) => [file, name] as const),
    )
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter(([, name]) => !isKnown(name))).toEqual([])
  })
})

describe('comments', () => {
  it('name documents by a path that resolves, with their headings', () => {
    expect(referencesIn(/(?<![\w/.-])(?:\.{0,2}[\w-][\w.-]*\/)*[\w-]+\.md(?:#[\w-]+)?/g, resolves)).toEqual(
      [],
    )
  })

  it('name files and folders of the repository that are there', () => {
    const path = /(?<![\w/.-])(?:src|test|templates|\.github|\.ci)\/[\w./-]*\w/g
    expect(referencesIn(path, (_, target) => target.endsWith('.md') || isThere(target))).toEqual([])
  })

  it('name modules that are there, by the end of their path', () => {
    const module = /(?<![\w/.*-])(?:[\w-]+\/)*[\w-][\w.-]*\.(?:ts|mjs)\b/g
    expect(referencesIn(module, (_, target) => isModule(target))).toEqual([])
  })
})

it('the changelog begins with the version of the package, or the one after it, and says nothing twice', () => {
  const lines = read('.github/CHANGELOG.md').split('\n')
  const sections = lines.filter((line) => line.startsWith('## '))
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  expect(sections.slice(0, 2)).toContain(`## ${version}`)
  const twice = lines.filter((line, at) => line !== '' && lines.indexOf(line) < at)
  expect(twice.filter((line) => !line.startsWith('#'))).toEqual([])
})

it('gives headings the anchors that GitHub gives them', () => {
  const text =
    '# A `code` & [link](x.md): *it*, done_well\n\n## Same\n## Same\n```\n# none\n```\n## Ä – ö (2)\n'
  expect(anchorsOf(text)).toEqual(['a-code--link-it-done_well', 'same', 'same-1', 'ä--ö-2'])
})

/** What `npm pack` takes without building: everything but `dist`. */
function packedFiles(): readonly string[] {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const said = execFileSync('npm', words, { cwd: repository, encoding: 'utf8', stdio: 'pipe' })
  const [made] = JSON.parse(said) as readonly { readonly files: readonly { readonly path: string }[] }[]
  return (made?.files ?? []).map(({ path }) => path)
}

const isAddress = (target: string) => /^[a-z][a-z\d+.-]*:/i.test(target)

/** Each link, and where it leads to. Not pictures in HTML: a package shows their alternative texts. */
const linksIn = (text: string) => [
  ...text.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g),
  ...text.matchAll(/^\[[^\]]+\]:\s+<?([^\s>]+)/gm),
  ...text.matchAll(/<a\s[^>]*?href="([^"]+)"/g),
]

/** The references that lead nowhere, as `file: reference`. */
function referencesIn(pattern: RegExp, isGood: (file: string, target: string) => boolean): readonly string[] {
  return programs.flatMap((file) =>
    commentsOf(read(file)).flatMap((comment) =>
      [...comment.matchAll(pattern)].flatMap(([target]) =>
        isGood(file, target) ? [] : [`${file}: ${target}`],
      ),
    ),
  )
}

/** From the folder of a file or from the root, to a file or folder and, in a document, a heading. */
function resolves(from: string, target: string): boolean {
  const [path = '', anchor] = decodeURI(target).split('#')
  const places = path === '' ? [from] : [join(dirname(from), path), path.replace(/^\//, '')]
  return places
    .filter((place) => resolve(repository, place).startsWith(repository.replace(/\/$/, '')) && isThere(place))
    .some((place) => anchor === undefined || hasAnchor(place, anchor))
}

function hasAnchor(file: string, anchor: string): boolean {
  if (statSync(join(repository, file)).isDirectory()) return hasAnchor(join(file, 'README.md'), anchor)
  const [, line] = /^L(\d+)$/.exec(anchor) ?? []
  if (line !== undefined) return Number(line) <= read(file).split('\n').length
  return file.endsWith('.md') && anchorsOf(read(file)).includes(anchor)
}

/** What GitHub makes of headings: their text in lower case, without punctuation, a number behind what was there before. */
function anchorsOf(text: string): readonly string[] {
  const seen = new Map<string, number>()
  const ofHeadings = [...withoutFences(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map(([, heading = '']) => {
    const slug = heading
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/<[^>]+>/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  })
  const named = [...text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)].map(([, name = '']) => name)
  return [...ofHeadings, ...named]
}

const withoutFences = (text: string) => text.replace(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^ *\2 *$/gm, '')
const withoutCode = (text: string) => withoutFences(text).replace(/(`+)[^`\n]*\1/g, '')

/** Block comments, and those to the end of a line; not the `//` of an address. */
const commentsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?<=^|[\s({])(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)/gm)].map(([comment]) => comment)
