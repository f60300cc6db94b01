/** What the runner of GitHub Actions would take for its commands in what is written to a log. */

/** @param environment of the process */
export const isInWorkflow = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  environment['GITHUB_ACTIONS'] === 'true'

/**
 * The text with escapes in place of what begins a command: `##[` anywhere in a line, and `::` at the beginning of one,
 * behind white space too. A fund may have any name, and `##[add-mask]1` would hide every 1 in the log, `##[stop-commands]x`
 * what comes after it. JSON stays what it says. Source: actions/runner, ActionCommand.cs.
 */
export function withoutCommands(text: string): string {
  return text
    .replaceAll('##[', '##\\u005b')
    .replace(/^((?:[^\S\n\r\u2028\u2029]|\u0085)*):(?=:)/gm, '$1\\u003a')
}
