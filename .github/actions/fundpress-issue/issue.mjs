/** One issue for failing runs. OUTCOME, REASON, REFUSAL, LABEL and TITLE come from the environment. */

import { callGitHub } from './github-api.mjs'

const { OUTCOME = '', REASON = '', LABEL = '', TITLE = '' } = process.env
/** Markdown that is safe already, empty if no guard has refused anything. */
const refusal = process.env['REFUSAL'] ? String(JSON.parse(process.env['REFUSAL'])) : ''
const {
  GITHUB_SERVER_URL = '',
  GITHUB_REPOSITORY = '',
  GITHUB_RUN_ID = '',
  GITHUB_WORKFLOW = '',
} = process.env
const run = `[${GITHUB_WORKFLOW} ${GITHUB_RUN_ID}](${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID})`

/** Attempts of one night lie closer together than this, and those of two nights further apart. */
const hoursOfNight = 12

try {
  const issues = await findOpen()
  const [first] = issues
  if (OUTCOME === 'success') for (const { number } of issues) await close(number)
  else if (first === undefined) await open()
  else await tellAgain(first)
} catch (error) {
  const said = error instanceof Error ? error.message : String(error)
  const line = said.replace(/[%\r\n]/g, encodeURIComponent)
  process.stdout.write(`::error title=fundpress::${line}\n`)
  process.exitCode = 1
}

/** @typedef {{ body?: string | null, created_at: string }} Said */
/** @typedef {Said & { number: number, pull_request?: object }} Issue */

/** @returns {Promise<Issue[]>} the oldest first; pull requests can have the label, too */
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
  const found = /** @type {Issue[]} */ (answer.body)
  return found.filter((issue) => issue.pull_request === undefined)
}

async function open() {
  // If the label exists, the answer is a 422.
  await callGitHub('POST', '/labels', {
    name: LABEL,
    color: 'd73a4a',
    description: 'A nightly run failed',
  })
  const title = refusal === '' ? TITLE : 'A guard has refused the nightly run'
  const issue = { title, body: describeFailure(), labels: [LABEL] }
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

/** Several attempts of a night are refused for the same reason: the issue says it once. @param {Issue} issue */
async function tellAgain(issue) {
  if (refusal !== '') {
    const since = new Date(Date.now() - hoursOfNight * 3_600_000).toISOString()
    const query = new URLSearchParams({ since, per_page: '100' })
    const answer = await callGitHub('GET', `/issues/${String(issue.number)}/comments?${query.toString()}`)
    mustBe(200, answer, 'the comments cannot be listed')
    const comments = /** @type {Said[]} */ (answer.body)
    const ofNight = [issue, ...comments].filter(({ created_at: at }) => Date.parse(at) >= Date.parse(since))
    if (ofNight.some(({ body }) => body?.includes(refusal))) return
  }
  await comment(issue.number, describeFailure())
}

/** A reason can quote the name of a fund. In a fence that it cannot close, it mentions nobody and draws nothing. */
function describeFailure() {
  const closes = 'The next successful run closes this issue.'
  if (refusal !== '') return `${run} was refused.\n\n${refusal}\n${closes}`
  const what = OUTCOME === 'cancelled' ? 'was cancelled or took too long' : 'failed'
  const fence = '`'.repeat(Math.max(2, ...[...REASON.matchAll(/`+/g)].map(([ticks]) => ticks.length)) + 1)
  const reason = REASON === '' ? '' : `\n\n${fence}text\n${REASON}\n${fence}`
  return `${run} ${what}.${reason}\n\nThe live snapshot did not change. ${closes}`
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
