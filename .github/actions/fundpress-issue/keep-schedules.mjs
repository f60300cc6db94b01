/**
 * Keeps schedules alive: `node keep-schedules.mjs nightly.yml guard.yml`. GitHub switches off the schedules of a public
 * repository that had no commit for 60 days; to enable a workflow that is enabled starts the count anew. That is seen,
 * not documented: the monitor outside stays necessary. A workflow that somebody switched off by hand stays off.
 */

import { callGitHub } from './github-api.mjs'

for (const file of process.argv.slice(2)) {
  const path = `/actions/workflows/${file}`
  const { status, body } = await callGitHub('GET', path)
  if (status !== 200) throw new Error(`${file}: there is no such workflow (${String(status)})`)
  const { state } = /** @type {{ state: string }} */ (body)
  if (state === 'disabled_manually') process.stdout.write(`${file} was switched off by hand and stays off\n`)
  else await callGitHub('PUT', `${path}/enable`)
}
