/** One issue for failing runs. OUTCOME, REASON, LABEL and TITLE come from the environment. */

import { callGitHub } from './github-api.mjs'

const { OUTCOME = '', REASON = '', LABEL = '', TITLE = '' } = process.env
const {
  GITHUB_SERVER_URL = '',
  GITHUB_REPOSITORY = '',
  GITHUB_RUN_ID = '',
  GITHUB_WORKFLOW = '',
} = process.env
const run = `[${GITHUB_WORKFLOW} ${GITHUB_RUN_ID}](${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID})`

try {
  const numbers = await findOpen()
  if (OUTCOME === 'success') for (const number of numbers) await close(number)
  else if (numbers[0] !== undefined) await comment(numbers[0], describeFailure())
  else await open()
} catch (error) {
  const said = error instanceof Error ? error.message : String(error)
  const line = said.replace(/[%\r\n]/g, encodeURIComponent)
  process.stdout.write(`::error title=fundpress::${line}\n`)
  process.exitCode = 1
}

/** @returns {Promise<number[]>} the oldest first; pull requests can have the label, too */
async function findOpen() {
  const query = new URLSearchParams({
    state: 'open',
    labels: LABEL,
    sort: 'created',
    direction: 'asc',
    per_page: '100',
  })
  const answer = await callGitHub('GET', `/issues?${query.toString()}`)
  mustBe(200, answer, 'the issues cannot be listed')
  const found = /** @type {{ number: number, pull_request?: object }[]} */ (answer.body)
  return found.filter((issue) => issue.pull_request === undefined).map((issue) => issue.number)
}

async function open() {
  // If the label exists, the answer is a 422.
  await callGitHub('POST', '/labels', {
    name: LABEL,
    color: 'd73a4a',
    description: 'A nightly run failed',
  })
  const issue = { title: TITLE, body: describeFailure(), labels: [LABEL] }
  mustBe(201, await callGitHub('POST', '/issues', issue), 'the issue cannot be opened')
}

/** @param {number} number */
async function close(number) {
  await comment(number, `${run} succeeded.`)
  const closed = { state: 'closed', state_reason: 'completed' }
  mustBe(200, await callGitHub('PATCH', `/issues/${String(number)}`, closed), 'the issue cannot be closed')
}

/**
 * @param {number} number
 * @param {string} body
 */
async function comment(number, body) {
  const answer = await callGitHub('POST', `/issues/${String(number)}/comments`, { body })
  mustBe(201, answer, 'the issue cannot be commented on')
}

/** A reason can quote the name of a fund. In a fence that it cannot close, it mentions nobody and draws nothing. */
function describeFailure() {
  const what = OUTCOME === 'cancelled' ? 'was cancelled or took too long' : 'failed'
  const fence = '`'.repeat(Math.max(2, ...[...REASON.matchAll(/`+/g)].map(([ticks]) => ticks.length)) + 1)
  const reason = REASON === '' ? '' : `\n\n${fence}text\n${REASON}\n${fence}`
  return `${run} ${what}.${reason}\n\nThe live snapshot did not change. The next successful run closes this issue.`
}

/**
 * @param {number} wanted
 * @param {{ status: number, body: unknown }} answer
 * @param {string} otherwise
 */
function mustBe(wanted, { status, body }, otherwise) {
  if (status === 410) {
    const advice = 'enable them (Settings, General, Features), or failures stay unnoticed'
    throw new Error(`${otherwise}: issues are disabled in this repository, as in each new fork: ${advice}`)
  }
  if (status !== wanted) throw new Error(`${otherwise}: ${String(status)} ${JSON.stringify(body)}`)
}
