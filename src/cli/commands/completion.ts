/** `fundpress completion`: prints what lets a shell complete commands and options. */

import { Argument, Command } from 'commander'
import { completionScript, shells, type Shell } from '../completion.ts'
import { examples } from '../options.ts'
import type { Session, Start } from '../session.ts'

export function completionCommand(start: Start): Command {
  return new Command('completion')
    .summary('print what lets a shell complete commands')
    .description(
      'Prints a script for bash, zsh or fish, with which the shell completes the commands and options of this version.',
    )
    .addArgument(new Argument('<shell>', 'The shell').choices([...shells]))
    .addHelpText(
      'after',
      examples(
        ['completion bash >> ~/.bashrc', 'From the next bash on'],
        ['completion zsh >> ~/.zshrc', 'From the next zsh on, below its compinit'],
        ['completion fish > ~/.config/fish/completions/fundpress.fish', 'From the next fish on'],
      ),
    )
    .action((shell: Shell, _: object, command: Command) =>
      start(complete)({ shell, program: command.parent ?? command }, command),
    )
}

async function complete(
  { stdout }: Session,
  { shell, program }: { readonly shell: Shell; readonly program: Command },
): Promise<void> {
  stdout.data(completionScript(program, shell))
  return Promise.resolve()
}
