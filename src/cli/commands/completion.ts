/** `fundpress completion`: prints a script with which bash, zsh or fish completes commands and options. */

import { Argument, type Command, type Option } from 'commander'
import { defineCommand } from '../command.ts'

export default defineCommand({
  description:
    'Prints a script for bash, zsh or fish, with which the shell completes the commands and options of this version.',
  arguments: [new Argument('<shell>', 'The shell').choices(['bash', 'zsh', 'fish'])],
  examples: [
    ['completion bash >> ~/.bashrc', 'For the next bash'],
    ['completion zsh >> ~/.zshrc', 'For the next zsh; below its compinit'],
    ['completion fish > ~/.config/fish/completions/fundpress.fish', 'For the next fish'],
  ],
  run: ({ stdout, program }, _, shell: keyof typeof scripts) => stdout.data(completionScript(program, shell)),
})

/** What can be the value of an option or of an argument: one of these words, a path, something else, or nothing. */
type Value = readonly string[] | 'path' | 'other' | 'none'
/** The code with which a shell offers such words. */
type Act = (value: Exclude<Value, 'none'>) => string

function completed(command: Command, more: readonly Option[] = []) {
  const values = command.registeredArguments.map(({ argChoices, description }) =>
    valueOf(argChoices, /\bfile\b|\bsnapshot\b/i.test(description) ? '<file>' : '<word>'),
  )
  const isProgram = command.parent === null
  return {
    name: isProgram ? '' : command.name(),
    summary: command.summary(),
    options: [...command.options, ...more].flatMap((option) => {
      if (option.hidden || typeof option.long !== 'string') return []
      const [describe = ''] = option.description.split(/ \(|\. |: /)
      return [{ flag: option.long, value: valueOf(option.argChoices, option.flags), describe }]
    }),
    /** What the arguments can be: one of these words, if there are any, then a path. */
    choices: isProgram
      ? command.commands.map((one) => one.name())
      : values.flatMap((value) => (typeof value === 'object' ? value : [])),
    isPath: values.includes('path'),
  }
}
type Completed = ReturnType<typeof completed>

/** @param flags `--out <folder>`: the word in angle brackets says what it is */
function valueOf(choices: readonly string[] | undefined, flags: string): Value {
  if (choices !== undefined) return choices
  if (!/[<[]/.test(flags)) return 'none'
  return /[<[](file|folder|snapshot|path)/.test(flags) ? 'path' : 'other'
}

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

function completionScript(program: Command, shell: keyof typeof scripts): string {
  const commands = program.commands.map((command) => completed(command, program.options))
  return scripts[shell](program.name(), [completed(program), ...commands])
}

function bashScript(name: string, commands: readonly Completed[]): string {
  const words = (list: readonly string[]) =>
    `IFS=$'\\n' COMPREPLY=($(compgen -W ${quoted(list.join('\n'))} -- "$cur"))`
  const files = `compopt -o filenames 2>/dev/null; IFS=$'\\n' COMPREPLY=($(compgen -f -- "$cur"))`
  const act: Act = (value) => (value === 'path' ? files : value === 'other' ? ':' : words(value))
  const rows = commands.map((command) => {
    const options = words(command.options.map(({ flag }) => flag))
    const others = argumentAct(command, `\${COMP_WORDS[*]:0:COMP_CWORD}`, act)
    const either = others === null ? options : `case $cur in -*) ${options} ;; *) ${others} ;; esac`
    return `  ${quoted(command.name)}) ${either} ;;`
  })
  return `# bash completion of ${name}
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command= index IFS
  COMPREPLY=()
  # Readline takes an equals sign for a word of its own.
  [ "$cur" = = ] && cur=
  [ "$previous" = = ] && previous=\${COMP_WORDS[COMP_CWORD-2]}
  for ((index = 1; index < COMP_CWORD; index++)); do
    case \${COMP_WORDS[index]} in ${namesOf(commands)}) command=\${COMP_WORDS[index]}; break ;; esac
  done
  case "$command $previous" in
${valueCases(commands, act)}
  esac
  case "$command" in
${rows.join('\n')}
  esac
}
complete -F _${name} ${name}
`
}

function zshScript(name: string, commands: readonly Completed[]): string {
  const act: Act = (value) =>
    value === 'path' ? '_files' : value === 'other' ? ':' : `compadd -- ${value.map(quoted).join(' ')}`
  const described = (list: readonly (readonly [string, string])[]) =>
    `list=(${list.map(([word, what]) => quoted(`${word.replace(/:/g, '\\:')}:${what}`)).join(' ')}); _describe -o ${quoted(name)} list`
  const rows = commands.map((command) => {
    const options = described(command.options.map(({ flag, describe }) => [flag, describe]))
    const others =
      command.name === ''
        ? described(commands.slice(1).map((one) => [one.name, one.summary]))
        : argumentAct(command, `\${words[1,CURRENT-1]}`, act)
    return `    (${quoted(command.name)}) if [[ $PREFIX == -* ]]; then ${options}; else ${others ?? options}; fi ;;`
  })
  return `#compdef ${name}
_${name}() {
  local command= word previous=\${words[CURRENT-1]}
  local -a list
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in (${namesOf(commands)}) command=$word; break ;; esac
  done
  case "$command $previous" in
${valueCases(commands, act)}
  esac
  case "$command" in
${rows.join('\n')}
  esac
}
compdef _${name} ${name}
`
}

function fishScript(program: string, [first, ...commands]: readonly Completed[]): string {
  const offer = (when: string, what: string) => `complete -c ${program} -n ${fishQuoted(when)} ${what}`
  const take = (value: Value) =>
    typeof value === 'object'
      ? ` -x -a ${fishQuoted(value.join(' '))}`
      : { path: ' -r -F', other: ' -x', none: '' }[value]
  const offerOptions = (when: string, some: Completed['options']) =>
    some.map(({ flag, value, describe }) =>
      offer(when, `-l ${flag.slice(2)}${take(value)} -d ${fishQuoted(describe)}`),
    )
  const none = '__fish_use_subcommand'
  const lines = commands.flatMap(({ name, summary, isPath, ...command }) => {
    const when = `__fish_seen_subcommand_from ${name}`
    const choices = command.choices.join(' ')
    const seen = `__fish_seen_subcommand_from ${choices}`
    const isEither = isPath && choices !== ''
    const words = offer(isEither ? `${when}; and not ${seen}` : when, `-a ${fishQuoted(choices)}`)
    return [
      `complete -c ${program} -n ${none} -a ${name} -d ${fishQuoted(summary)}`,
      ...offerOptions(when, command.options),
      ...(choices === '' ? [] : [words]),
      ...(isPath ? [offer(isEither ? `${when}; and ${seen}` : when, '-F')] : []),
    ]
  })
  return [`complete -c ${program} -f`, ...offerOptions(none, first?.options ?? []), ...lines, ''].join('\n')
}

/** A line each option with a value, by `<command> <option>`. */
function valueCases(commands: readonly Completed[], act: Act): string {
  const lines = commands.flatMap(({ name, options }) =>
    options.flatMap(({ flag, value }) =>
      value === 'none' ? [] : [`  ${quoted(`${name} ${flag}`)}) ${act(value)}; return ;;`],
    ),
  )
  return lines.join('\n')
}

/** @param before the words before the completed one, as the shell expands them @returns null if nothing is known */
function argumentAct({ choices, isPath }: Completed, before: string, act: Act): string | null {
  if (choices.length === 0) return isPath ? act('path') : null
  if (!isPath) return act(choices)
  const isChosen = choices.map((choice) => `*${quoted(` ${choice} `)}*`).join('|')
  return `case " ${before} " in ${isChosen}) ${act('path')} ;; *) ${act(choices)} ;; esac`
}

const namesOf = ([, ...commands]: readonly Completed[]) => commands.map(({ name }) => name).join('|')

const quoted = (text: string) => `'${text.replace(/'/g, `'\\''`)}'`
const fishQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
