/** Notices in the formats of targets. Names of funds are data, so they must not become mentions or markup. Pure. */

import { cut } from '../safe-text.ts'
import { describeNotice, type Notice } from './notice.ts'

/**
 * Only `mrkdwn` is markup for Slack. `&`, `<` and `>` are escaped in each text: `<!channel>` would call everybody.
 * Source: Slack's documentation, "Formatting message text" and "Blocks" (a header has 150 characters, a section 3,000, a message 50 blocks).
 */
export function slackBody(notice: Notice) {
  const plain = (text: string) => ({ type: 'plain_text', text: escapedForSlack(text), emoji: false })
  const { title, run } = notice
  const lines = describeNotice(notice).flatMap(([label, text]) =>
    label === 'Run' ? [] : `${label}: ${text.replaceAll('\n', '\n  • ')}`.split('\n'),
  )
  return {
    // For notifications, and clients that cannot show blocks.
    text: escapedForSlack(title),
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plain(title) },
      ...sectionsOf(lines).map((text) => ({ type: 'section', text: plain(text) })),
      ...(run === null
        ? []
        : [{ type: 'section', text: { type: 'mrkdwn', text: `<${run}|The run on GitHub>` } }]),
    ],
  }
}

/** In characters; fewer than Slack allows. */
const maxSection = 2900

function sectionsOf(lines: readonly string[]): string[] {
  const sections: string[] = []
  for (const whole of lines) {
    const line = escapedForSlack(whole).length <= maxSection ? whole : cut(whole, maxSection / '&amp;'.length)
    const longer = `${sections.at(-1) ?? ''}\n${line}`
    if (sections.length > 0 && escapedForSlack(longer).length <= maxSection) sections.splice(-1, 1, longer)
    else sections.push(line)
  }
  return sections
}

const escapedForSlack = (text: string) => text.replace(/[&<>]/g, (sign) => slackSigns[sign] ?? '')
const slackSigns: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * An Adaptive Card for Workflows in Teams. All text is in text runs, which know no Markdown, unlike text blocks and facts.
 * Source: Microsoft's documentation, "Create incoming webhooks with Workflows" and "Adaptive Card schema: TextRun".
 */
export function teamsBody(notice: Notice) {
  const { title, run } = notice
  const paragraph = (...inlines: readonly object[]) => ({ type: 'RichTextBlock', inlines, spacing: 'Small' })
  const bold = (text: string, more = {}) => ({ type: 'TextRun', text, weight: 'Bolder', ...more })
  const facts = describeNotice(notice).filter(([label]) => label !== 'Run')
  return {
    type: 'message',
    summary: title,
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [
            paragraph(bold(title, { size: 'Large', color: colours[notice.event] })),
            ...facts.flatMap(([label, text]) =>
              text
                .split('\n')
                .map((line, index) =>
                  index === 0
                    ? paragraph(bold(`${label}: `), { type: 'TextRun', text: line })
                    : paragraph({ type: 'TextRun', text: line }),
                ),
            ),
          ],
          ...(run === null
            ? {}
            : { actions: [{ type: 'Action.OpenUrl', title: 'The run on GitHub', url: run }] }),
        },
      },
    ],
  }
}

const colours: Readonly<Record<Notice['event'], string>> = {
  done: 'Good',
  test: 'Accent',
  rollback: 'Warning',
  forced: 'Warning',
  stale: 'Warning',
  warned: 'Warning',
  late: 'Attention',
  refused: 'Attention',
  failed: 'Attention',
}

export function mailMessage(notice: Notice) {
  const facts = describeNotice(notice).map(([label, text]) => {
    return `${label}: ${text.replaceAll('\n', '\n  ')}\n`
  })
  return { subject: notice.title, text: `${notice.title}\n\n${facts.join('')}` }
}
