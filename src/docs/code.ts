/** Blocks of code: requests, answers. A script gives them a button that copies. */

import { html, type Html, type Part } from '../pages/html.ts'
import { shellText } from '../shell/shell-text.ts'

/** @param label what it is, for whoever cannot see it @param canBeCopied whether as a whole it is of use elsewhere */
export function codeBlock(content: Part, label: string, canBeCopied: boolean): Html {
  // It may be wider than the page: who has no mouse has to be able to scroll it.
  const code = html`<pre tabindex="0" role="group" aria-label="${label}"><code>${content}</code></pre>`
  return canBeCopied ? html`<div class="code" data-copy>${code}</div>` : html`<div class="code">${code}</div>`
}

/** A request for a shell. @param url absolute @param flags as words */
export function curl(url: string, ...flags: readonly string[]): Html {
  const words = flags.map((flag) =>
    /^[\w.-]+$/.test(flag) ? `${flag} ` : html`<span class="s">${shellText(flag)}</span> `,
  )
  return html`curl ${words}<span class="s">${shellText(url)}</span>`
}

/**
 * Alternatives of which one shows: without a script, by radio buttons.
 * @param id unique within the page
 */
export function tabs(id: string, legend: string, panels: readonly (readonly [string, Html])[]): Html {
  return html`<fieldset class="tabs">
    <legend class="unseen">${legend}</legend>
    ${panels.map(
      ([name], index) =>
        html`<input
            type="radio"
            name="${id}"
            id="${id}-${index}"
            ${index === 0 ? html`checked` : null}
          /><label for="${id}-${index}">${name}</label>`,
    )}
    ${panels.map(([, panel]) => html`<div class="panel">${panel}</div>`)}
  </fieldset>`
}
