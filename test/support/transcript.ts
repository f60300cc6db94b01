/**
 * Transcripts: text files with commands and exactly what they print. `test/README.md` has the format.
 * Runs one in a folder of its own and writes it again, with what its commands print now.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { runShown } from '../cli/run.ts'
import { editDatabase } from './database.ts'
import { makeTempFolder } from './folders.ts'
import { docsUrl } from './product.ts'

/** A command of a transcript. */
interface Step {
  /** Prose and blank lines above it, as they stand there. */
  readonly before: readonly string[]
  /** After the `$`. */
  readonly command: string
  /** Lines after a `>`. */
  readonly input: readonly string[]
}

/** What a command prints, line by line, with its exit code if that is not 0. */
type Output = readonly string[]

const indent = '  '
const marks = { command: `${indent}$ `, input: `${indent}>`, error: '2> ' }

/**
 * @param text of a transcript
 * @returns the same with what its commands print now
 * @throws {Error} for a command that transcripts do not know
 */
export async function rerun(text: string): Promise<string> {
  const { steps, end } = parse(text)
  const folder = makeTempFolder()
  try {
    const session = new Session(folder.path)
    const lines: string[] = []
    let hasPrinted = false
    for (const step of steps) {
      const input = step.input.map((line) => `${marks.input} ${line}`.trimEnd())
      const output = await session.carryOut(step)
      if (step.before.length === 0 && hasPrinted) lines.push('')
      lines.push(...step.before, marks.command + step.command, ...input)
      lines.push(...output.map((line) => (line === '' ? '' : indent + line)))
      hasPrinted = output.length > 0
    }
    return `${[...lines, ...end].join('\n').trimEnd()}\n`
  } finally {
    folder.remove()
  }
}

/** Leaves what was printed before: blank and indented lines after a command, but for the blank ones at their end. */
function parse(text: string): { readonly steps: readonly Step[]; readonly end: readonly string[] } {
  const steps: Step[] = []
  let before: string[] = []
  const lines = text.trimEnd().split('\n')
  for (let at = 0; at < lines.length;) {
    const line = lines[at++] ?? ''
    if (!line.startsWith(marks.command)) {
      before.push(line)
      continue
    }
    const input: string[] = []
    while (lines[at]?.startsWith(marks.input) === true)
      input.push(lines[at++]?.slice(marks.input.length + 1) ?? '')
    steps.push({ before, command: line.slice(marks.command.length), input })
    let blank = 0
    for (; at < lines.length && isOutput(lines[at] ?? ''); at++) blank = lines[at] === '' ? blank + 1 : 0
    before = Array<string>(blank).fill('')
  }
  return { steps, end: before }
}

const isOutput = (line: string) => line === '' || (line.startsWith(indent) && !line.startsWith(marks.command))

/** The config of each transcript, which may write another one. */
const config = (folder: string) => ({
  db: 'funds.sqlite',
  baseUrl: 'https://funds.example.org',
  docsUrl,
  bucket: { name: `file://${folder}/bucket` },
})

class Session {
  readonly #folder: string
  readonly #mask: Mask

  constructor(folder: string) {
    this.#folder = folder
    this.#mask = new Mask(folder)
    this.#write('fundpress.config.json', JSON.stringify(config(folder)))
  }

  async carryOut({ command, input }: Step): Promise<Output> {
    const words = wordsOf(this.#mask.reveal(command))
    const text = this.#mask.reveal(input.map((line) => `${line}\n`).join(''))
    return this.#mask
      .hide(await this.#run(words, text))
      .split('\n')
      .slice(0, -1)
  }

  /** @returns what is printed: lines, each with its end */
  async #run(words: readonly string[], input: string): Promise<string> {
    const assigned = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
    const [verb, file = '', ...more] = words.slice(assigned)
    const path = join(this.#folder, file)
    switch (verb) {
      case 'fundpress': {
        const env = words
          .slice(0, assigned)
          .map((word) => word.split(/=(.*)/s).slice(0, 2) as [string, string])
        return this.#fundpress(words.slice(assigned + 1), Object.fromEntries(env))
      }
      case 'write':
        this.#write(file, input)
        return ''
      case 'sql':
        return sql(path, more.length === 0 ? input : more.join(' '))
      case 'cat':
        if (!existsSync(path)) return nothingThere(file)
        return readFileSync(path, 'utf8').replace(/\n?$/, '\n')
      case 'ls': {
        if (!existsSync(path)) return nothingThere(file)
        const names = readdirSync(path).filter((name) => !name.startsWith('.'))
        return names.length === 0 ? '' : `${names.sort().join('  ')}\n`
      }
      case 'rm':
        if (!existsSync(path)) return nothingThere(file)
        rmSync(path, { recursive: true })
        return ''
      default:
        throw new Error(`transcripts have no command ${String(verb)}: see test/README.md`)
    }
  }

  async #fundpress(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
    const { code, said } = await runShown(args, { cwd: this.#folder, env: { ...surroundings, ...env } })
    const shown = said.map(({ stream, text }) =>
      stream === 'stderr' ? text.replace(/.*\n/g, `${marks.error}$&`) : text,
    )
    return shown.join('') + (code === 0 ? '' : `[${code}]\n`)
  }

  #write(file: string, text: string): void {
    const path = join(this.#folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

const nothingThere = (file: string) => `${marks.error}${file} is not there\n[1]\n`

/** Nothing is late in a folder, and the machine that runs the tests has no say: the program looks for GitHub, for example. */
const surroundings = {
  ...Object.fromEntries(
    Object.keys(process.env).flatMap((name) => (/^(GITHUB|AWS|JOB)_/.test(name) ? [[name, undefined]] : [])),
  ),
  FUNDPRESS_BUCKET_GRACE_SECONDS: '0',
  FUNDPRESS_BUCKET_LATE_SECONDS: '0',
}

/** Cuts at blanks outside of quotation marks, as a shell does. */
const wordsOf = (line: string): readonly string[] =>
  (line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  )

/** Carries out statements; rows of a single SELECT are printed with a bar between values, as sqlite3 does. */
function sql(file: string, statements: string): string {
  if (!existsSync(file)) return nothingThere(basename(file))
  if (!/^\s*SELECT/i.test(statements)) {
    editDatabase(file, statements)
    return ''
  }
  const db = new Database(file, { readonly: true })
  const rows = db.prepare(statements).raw().all() as (string | number | null)[][]
  db.close()
  return rows.map((row) => `${row.join('|')}\n`).join('')
}

/** What differs from one run to the next, or from one machine to the other, stands in a transcript under a name. */
class Mask {
  readonly #folder: string
  /** Digests of snapshots in the order in which they were seen: the first is `aaaaaaaaaaaa`. */
  readonly #digests: string[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  hide(text: string): string {
    return (
      text
        .replaceAll(this.#folder, here)
        .replaceAll(`${userInfo().username}@${hostname()}`, 'operator@host')
        .replace(/(?<=\b\d{4}-\d\d-\d\d-)(?!0{12})[0-9a-f]{12}\b/g, (digest) => this.#nameOf(digest))
        .replace(/\b\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d\.\d{3}Z/g, 'TIME')
        .replace(/^(seconds +).*/gm, '$1N')
        .replace(/\b(?:\d+(?:\.\d)? s|\d+ min)\b/g, 'N s')
        .replace(/(?<=\bseed )\d+/g, 'N')
        // The sizes of all documents would change with one of them, or with a page.
        .replace(/[1-9][\d,]* \(\d+\.\d [kMG]B\)/g, 'BYTES')
        .replace(
          /^([a-z_-]+ +\d+ +\d+ )( *[\d,]+)$/gm,
          (_, row: string, size: string) => row + 'BYTES'.padStart(size.length),
        )
    )
  }

  reveal(text: string): string {
    return text
      .replaceAll(here, this.#folder)
      .replace(/(?<=\b\d{4}-\d\d-\d\d-)([a-f])\1{11}\b/g, (name, letter: string) => {
        return this.#digests[letters.indexOf(letter)] ?? name
      })
  }

  #nameOf(digest: string): string {
    if (!this.#digests.includes(digest)) this.#digests.push(digest)
    const letter = letters[this.#digests.indexOf(digest)]
    if (letter === undefined) throw new Error('a transcript names at most six snapshots')
    return letter.repeat(12)
  }
}

/** The folder of a transcript, as it is shown. */
const here = '/srv/funds'
const letters = 'abcdef'
