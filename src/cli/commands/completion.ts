/** `fundpress completion`: prints a script with which bash, zsh or fish completes commands and options. */

import { Argument, type Command, type Option } from 'commander'
import { defineCommand } from '../command.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

export default defineCommand({
  description:
    'Prints a script for bash, zsh or fish, with which the shell completes the commands and options of this version.',
  arguments: [new Argument('<shell>', 'The shell').choices([...shells])],
  examples: [
    ['completion bash >> ~/.bashrc', 'For the next bash'],
    ['completion zsh >> ~/.zshrc', 'For the next zsh; below its compinit'],
    ['completion fish > ~/.config/fish/completions/fundpress.fish', 'For the next fish'],
  ],
  run: ({ stdout, program }, _, shell: Shell) => {
    stdout.data(completionScript(program, shell))
  },
})

/** The value of an option or of an argument. */
type Value =
  | { readonly kind: 'none' }
  | { readonly kind: 'path' }
  | { readonly kind: 'other' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] }

interface Completed {
  /** '' for the program itself. */
  readonly name: string
  readonly summary: string
  readonly options: readonly {
    readonly flag: string
    readonly value: Value
    readonly describe: string
  }[]
  readonly arguments: readonly Value[]
}

function completionScript(program: Command, shell: Shell): string {
  const commands = [
    completed(program, [], ''),
    ...program.commands.map((command) => completed(command, program.options, command.name())),
  ]
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](program.name(), commands)
}

function completed(command: Command, more: readonly Option[], name: string): Completed {
  return {
    name,
    summary: command.summary() || command.description(),
    options: [...command.options, ...more].flatMap((option) => {
      if (option.hidden || typeof option.long !== 'string') return []
      const [describe = ''] = option.description.split(/ \(|\. |: /)
      return [{ flag: option.long, value: valueOf(option.argChoices, option.flags), describe }]
    }),
    arguments: command.registeredArguments.map(({ argChoices, description }) =>
      valueOf(argChoices, `<${/\bfile\b|\bsnapshot\b/i.test(description) ? 'file' : ''}>`),
    ),
  }
}

/** @param flags `--out <folder>`: the word in angle brackets says what it is */
function valueOf(choices: readonly string[] | undefined, flags: string): Value {
  if (choices !== undefined) return { kind: 'choices', choices }
  if (!/[<[]/.test(flags)) return { kind: 'none' }
  return /[<[](file|folder|snapshot|path)/.test(flags) ? { kind: 'path' } : { kind: 'other' }
}

function bashScript(name: string, commands: readonly Completed[]): string {
  const words = (list: readonly string[]) =>
    `IFS=$'\\n' COMPREPLY=($(compgen -W ${quoted(list.join('\n'))} -- "$cur"))`
  const files = `compopt -o filenames 2>/dev/null; IFS=$'\\n' COMPREPLY=($(compgen -f -- "$cur"))`
  return `# bash completion of ${name}
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command= index IFS
  COMPREPLY=()
  # Readline takes an equals sign for a word of its own.
  [ "$cur" = = ] && cur=
  [ "$previous" = = ] && previous=\${COMP_WORDS[COMP_CWORD-2]}
  for ((index = 1; index < COMP_CWORD; index++)); do
    case \${COMP_WORDS[index]} in ${namesOf(commands).join('|')}) command=\${COMP_WORDS[index]}; break ;; esac
  done
  case "$command $previous" in
${valueCases(commands, { path: files, other: ':', choices: words })}
  esac
  case "$command" in
${commands.map((command) => `  ${quoted(command.name)}) ${bashWords(command, commands, words, files)} ;;`).join('\n')}
  esac
}
complete -F _${name} ${name}
`
}

/** Options after a hyphen, or if the command has no arguments; else the values of its arguments. */
function bashWords(
  command: Completed,
  commands: readonly Completed[],
  words: (list: readonly string[]) => string,
  files: string,
): string {
  const options = words(command.options.map(({ flag }) => flag))
  const others = positional(command, commands)
  if (others === null) return options
  const act = positionalAct(others, `\${COMP_WORDS[*]:0:COMP_CWORD}`, { path: files, choices: words })
  return `case $cur in -*) ${options} ;; *) ${act} ;; esac`
}

function zshScript(name: string, commands: readonly Completed[]): string {
  const words = (list: readonly string[]) => `compadd -- ${list.map(quoted).join(' ')}`
  const described = (list: readonly (readonly [string, string])[]) =>
    `list=(${list.map(([word, what]) => quoted(`${word.replace(/:/g, '\\:')}:${what}`)).join(' ')}); _describe -o ${quoted(name)} list`
  const rows = commands.map((command) => {
    const options = described(command.options.map(({ flag, describe }) => [flag, describe]))
    const others = positional(command, commands)
    const rest =
      command.name === ''
        ? described(commands.slice(1).map((one) => [one.name, one.summary]))
        : others === null
          ? options
          : positionalAct(others, `\${words[1,CURRENT-1]}`, { path: '_files', choices: words })
    return `    (${quoted(command.name)}) if [[ $PREFIX == -* ]]; then ${options}; else ${rest}; fi ;;`
  })
  return `#compdef ${name}
_${name}() {
  local command= word previous=\${words[CURRENT-1]}
  local -a list
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in (${namesOf(commands).join('|')}) command=$word; break ;; esac
  done
  case "$command $previous" in
${valueCases(commands, { path: '_files', other: ':', choices: words })}
  esac
  case "$command" in
${rows.join('\n')}
  esac
}
compdef _${name} ${name}
`
}

function fishScript(name: string, commands: readonly Completed[]): string {
  const lines = [`complete -c ${name} -f`]
  for (const command of commands) {
    const isProgram = command.name === ''
    const when = isProgram ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${command.name}`
    const begin = `complete -c ${name} -n ${fishQuoted(when)}`
    if (!isProgram) {
      lines.push(
        `complete -c ${name} -n __fish_use_subcommand -a ${command.name} -d ${fishQuoted(command.summary)}`,
      )
    }
    for (const { flag, value, describe } of command.options) {
      const takes = {
        none: '',
        path: ' -r -F',
        other: ' -x',
        choices: ` -x -a ${fishQuoted(value.kind === 'choices' ? value.choices.join(' ') : '')}`,
      }
      lines.push(`${begin} -l ${flag.slice(2)}${takes[value.kind]} -d ${fishQuoted(describe)}`)
    }
    const others = isProgram ? null : positional(command, commands)
    const choices = others?.choices.join(' ') ?? ''
    const seen = `__fish_seen_subcommand_from ${choices}`
    const beginIf = (more: string) =>
      `complete -c ${name} -n ${fishQuoted(others?.isPath === true && choices !== '' ? `${when}; and ${more}` : when)}`
    if (choices !== '') lines.push(`${beginIf(`not ${seen}`)} -a ${fishQuoted(choices)}`)
    if (others?.isPath === true) lines.push(`${beginIf(seen)} -F`)
  }
  return `${lines.join('\n')}\n`
}

/** A line each option with a value, by `<command> <option>`. */
function valueCases(
  commands: readonly Completed[],
  act: {
    readonly path: string
    readonly other: string
    readonly choices: (choices: readonly string[]) => string
  },
): string {
  const actOf = (value: Value) =>
    value.kind === 'choices' ? act.choices(value.choices) : value.kind === 'path' ? act.path : act.other
  return commands
    .flatMap(({ name, options }) =>
      options
        .filter(({ value }) => value.kind !== 'none')
        .map(({ flag, value }) => `  ${quoted(`${name} ${flag}`)}) ${actOf(value)}; return ;;`),
    )
    .join('\n')
}

/** What a command's arguments can be: one of the choices, if there are any, then a path. */
interface Positional {
  readonly choices: readonly string[]
  readonly isPath: boolean
}

/** @returns null if nothing is known about them */
function positional(command: Completed, commands: readonly Completed[]): Positional | null {
  if (command.name === '') return { choices: namesOf(commands), isPath: false }
  const choices = command.arguments.flatMap((value) => (value.kind === 'choices' ? value.choices : []))
  const isPath = command.arguments.some(({ kind }) => kind === 'path')
  return choices.length > 0 || isPath ? { choices, isPath } : null
}

/** @param before the words before the one that is completed, with a space between them, as the shell expands it */
function positionalAct(
  { choices, isPath }: Positional,
  before: string,
  act: { readonly path: string; readonly choices: (choices: readonly string[]) => string },
): string {
  if (choices.length === 0) return act.path
  if (!isPath) return act.choices(choices)
  const isChosen = choices.map((choice) => `*${quoted(` ${choice} `)}*`).join('|')
  return `case " ${before} " in ${isChosen}) ${act.path} ;; *) ${act.choices(choices)} ;; esac`
}

const namesOf = (commands: readonly Completed[]) =>
  commands.map(({ name }) => name).filter((name) => name !== '')

const quoted = (text: string) => `'${text.replace(/'/g, `'\\''`)}'`
const fishQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
