/** Calls GitHub's REST API for one repository, with the environment of a workflow. It runs on Node 18 and later. */

const attempts = 4

/**
 * @param {'GET' | 'POST' | 'PATCH' | 'PUT'} method
 * @param {string} path below the repository: `/issues`
 * @param {object} [body]
 * @returns {Promise<{ status: number, body: unknown }>} 404, 410 and 422 are answers, too
 */
export async function callGitHub(method, path, body) {
  const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN } = process.env
  const address = `${String(GITHUB_API_URL)}/repos/${String(GITHUB_REPOSITORY)}${path}`
  for (let attempt = 1; ; attempt++) {
    const { status, text } = await send(address, method, String(GITHUB_TOKEN), body)
    if (status < 300 || [404, 410, 422].includes(status)) {
      return { status, body: text === '' ? null : JSON.parse(text) }
    }
    const isPassing = status === 0 || status === 429 || status >= 500
    if (!isPassing || attempt === attempts) throw new Error(`${method} ${path}: ${String(status)} ${text}`)
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt))
  }
}

/**
 * @param {string} address
 * @param {string} method
 * @param {string} token
 * @param {object | undefined} body
 * @returns {Promise<{ status: number, text: string }>} status 0 if there was no answer
 */
async function send(address, method, token, body) {
  try {
    const response = await fetch(address, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        'user-agent': 'fundpress',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    return { status: 0, text: error instanceof Error ? error.message : String(error) }
  }
}
