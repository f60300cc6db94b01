/** GitHub's REST API as far as our scripts ask it: labels, issues, comments, workflows, artifacts. Each job's token may what its permissions say. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Issue {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly labels: readonly string[]
  readonly comments: string[]
  state: 'open' | 'closed'
  /** A pull request is listed among the issues. */
  readonly isPullRequest?: boolean
}

export interface Artifact {
  readonly name: string
  readonly expired: boolean
  readonly created_at: string
  readonly workflow_run: {
    readonly id: number
    readonly repository_id: number
    readonly head_repository_id: number
    readonly head_branch: string
  } | null
}

export interface FakeApi {
  readonly base: string
  readonly issues: Issue[]
  /** As in a new fork, until somebody enables them. */
  withoutIssues: (isSo: boolean) => void
  readonly labels: Set<string>
  /** By file. */
  readonly workflows: Map<string, { state: string; enabled: number }>
  readonly artifacts: Artifact[]
  /** Scopes that a token may read. */
  readonly mayRead: Map<string, readonly string[]>
  /** Scopes that a token may write to. */
  readonly mayWrite: Map<string, readonly string[]>
  /** So many requests are answered with 502. */
  fail: (times: number) => void
  readonly stop: () => Promise<void>
}

type Answer = readonly [status: number, body: object | undefined]

interface Sent {
  readonly name?: string
  readonly title?: string
  readonly body?: string
  readonly labels?: readonly string[]
  readonly state?: Issue['state']
}

/** What a method and a path are answered with; `part` is what the pattern holds. */
type Route = readonly [pattern: RegExp, reply: (part: string, sent: Sent, query: URLSearchParams) => Answer]

export async function startApi(): Promise<FakeApi> {
  const issues: Issue[] = []
  const labels = new Set<string>()
  const workflows: FakeApi['workflows'] = new Map()
  const artifacts: Artifact[] = []
  const mayRead: FakeApi['mayRead'] = new Map()
  const mayWrite: FakeApi['mayWrite'] = new Map()
  let failing = 0
  let isWithoutIssues = false

  const routes: readonly Route[] = [
    [
      /^POST \/labels$/,
      (_, { name = '' }) => {
        if (labels.has(name)) return [422, { message: 'already_exists' }]
        labels.add(name)
        return [201, {}]
      },
    ],
    [
      /^GET \/issues\?/,
      (_, __, query) => {
        const found = issues.filter(
          ({ state, labels: own }) => state === query.get('state') && own.includes(query.get('labels') ?? ''),
        )
        return [200, found.map((one) => (one.isPullRequest === true ? { ...one, pull_request: {} } : one))]
      },
    ],
    [
      /^POST \/issues$/,
      (_, { title = '', body = '', labels: own = [] }) => {
        if (isWithoutIssues) return [410, { message: 'Issues has been disabled in this repository.' }]
        const number = issues.length + 1
        issues.push({ number, title, body, labels: own, comments: [], state: 'open' })
        return [201, { number }]
      },
    ],
    [
      /^POST \/issues\/(\d+)\/comments$/,
      (number, { body = '' }) => {
        const issue = issues.find((one) => String(one.number) === number)
        issue?.comments.push(body)
        return [issue === undefined ? 404 : 201, {}]
      },
    ],
    [
      /^PATCH \/issues\/(\d+)$/,
      (number, { state }) => {
        const issue = issues.find((one) => String(one.number) === number)
        if (issue !== undefined && state !== undefined) issue.state = state
        return [issue === undefined ? 404 : 200, {}]
      },
    ],
    [
      /^GET \/actions\/artifacts\?/,
      (_, __, query) => {
        const found = artifacts.filter(({ name }) => name === query.get('name'))
        const perPage = Number(query.get('per_page') ?? 30)
        const from = (Number(query.get('page') ?? 1) - 1) * perPage
        return [200, { total_count: found.length, artifacts: found.slice(from, from + perPage) }]
      },
    ],
    [
      /^GET \/actions\/workflows\/([^/]+)$/,
      (file) => [workflows.has(file) ? 200 : 404, { state: workflows.get(file)?.state }],
    ],
    [
      /^PUT \/actions\/workflows\/([^/]+)\/enable$/,
      (file) => {
        const workflow = workflows.get(file)
        if (workflow !== undefined) workflow.enabled++
        return [workflow === undefined ? 404 : 204, undefined]
      },
    ],
  ]

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { method = '', url = '', headers } = request
    const sent = await text(request)
    const target = url.replace(/^\/repos\/owner\/funds/, '')
    const token = headers.authorization?.replace('Bearer ', '') ?? ''
    const scope = target.startsWith('/actions/') ? 'actions' : 'issues'
    const may = [...(mayWrite.get(token) ?? []), ...(method === 'GET' ? (mayRead.get(token) ?? []) : [])]
    if (!may.includes(scope)) return [403, { message: `${token} may not` }]
    if (failing-- > 0) return [502, {}]
    for (const [pattern, reply] of routes) {
      const [found, part = ''] = pattern.exec(`${method} ${target}`) ?? []
      const query = new URL(target, 'http://localhost').searchParams
      if (found !== undefined) return reply(part, sent === '' ? {} : (JSON.parse(sent) as Sent), query)
    }
    return [404, { message: `${method} ${target}` }]
  }

  const http = createServer((request, response) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(body === undefined ? '' : JSON.stringify(body))
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  return {
    base: `http://127.0.0.1:${port}`,
    issues,
    labels,
    workflows,
    artifacts,
    mayRead,
    mayWrite,
    fail: (times) => {
      failing = times
    },
    withoutIssues: (isSo) => {
      isWithoutIssues = isSo
    },
    stop: async () => {
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}
