/**
 * Finds the run that uploaded the artifact with the database: `node find-artifact.mjs NAME [RUN_ID]`. Without a run it is
 * the newest artifact of that name in the repository that has not expired. Only artifacts that a run of this branch uploaded
 * count: a pull request, even from a fork, can upload anything under any name.
 */

import { appendFileSync } from 'node:fs'
import { callGitHub } from '../fundpress-issue/github-api.mjs'
import { tellReason } from './tell-reason.mjs'

const [name = '', given = ''] = process.argv.slice(2)
const { GITHUB_OUTPUT = '', GITHUB_REF_NAME = '' } = process.env
const perPage = 100
const maxPages = 20

try {
  const runId = given === '' ? await findRun() : given
  appendFileSync(GITHUB_OUTPUT, `name=${name}\nrun-id=${runId}\n`)
} catch (error) {
  tellReason(error)
}

/** @typedef {{ id: number, repository_id: number, head_repository_id: number, head_branch: string }} Run */
/** @typedef {{ name: string, expired: boolean, created_at: string, workflow_run: Run | null }} Artifact */

async function findRun() {
  const ours = (await listArtifacts()).filter(isOurs)
  const fresh = ours.filter(({ expired }) => !expired)
  const [newest] = fresh.sort((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at))
  if (newest?.workflow_run) return String(newest.workflow_run.id)
  const why =
    ours.length > 0
      ? 'all of them have expired'
      : 'a workflow must upload it, or FUNDPRESS_ARTIFACT_RUN_ID must name the run'
  throw new Error(`no run of ${GITHUB_REF_NAME} has uploaded an artifact ${name}: ${why}`)
}

/** @param {Artifact} artifact */
function isOurs({ name: own, workflow_run: run }) {
  if (own !== name || run === null) return false
  return run.head_repository_id === run.repository_id && run.head_branch === GITHUB_REF_NAME
}

/** Source: GitHub's REST API, "List artifacts for a repository". */
async function listArtifacts() {
  /** @type {Artifact[]} */
  const found = []
  for (let page = 1; page <= maxPages; page++) {
    const query = new URLSearchParams({ name, per_page: String(perPage), page: String(page) })
    const { status, body } = await callGitHub('GET', `/actions/artifacts?${query.toString()}`)
    if (status !== 200) throw new Error(`the artifacts cannot be listed: ${String(status)}`)
    const { artifacts } = /** @type {{ artifacts: Artifact[] }} */ (body)
    found.push(...artifacts)
    if (artifacts.length < perPage) break
  }
  return found
}
