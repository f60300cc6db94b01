/** The conformance suite asks for all that the contract declares: its lists are written by hand, on purpose, and may forget nothing. */
import { expect, it } from 'vitest'
import { errorCases, strayErrorCases } from '../../src/api/derive/error-cases.ts'
import { endpoints as registry } from '../../src/api/endpoints/index.ts'
import { fill } from '../../src/api/routes/keys.ts'
import { answeredRows, errorAnchors } from '../../src/conform/checks/answers.ts'
import { allFundsPaths, fundPaths, historicPaths } from '../../src/conform/requests.ts'
import { endpoints as withMadeUp } from '../build/made-up-endpoints.ts'

const isin = 'DE0008471400'
const asked = [...allFundsPaths, ...fundPaths(isin), ...historicPaths(isin)].map(({ target }) => target)

/** Endpoints, with their types, of which no check asks an answer. */
function forgottenOf(endpoints: typeof registry): string[] {
  const days = { from: '0001-01-01', to: '9999-12-31' }
  const wanted = endpoints.flatMap(({ id, path, ...endpoint }) => {
    const parameters = endpoint.scope === 'all' ? [] : Object.entries(endpoint.parameters)
    const dates = parameters.filter(([, { kind }]) => kind === 'date').map(([name]) => name)
    const bounds = Object.fromEntries(dates.map((name, index) => [name, Object.values(days)[index] ?? '']))
    const [name = '', choice] = parameters.find(([, { kind }]) => kind === 'choice') ?? []
    const choices = choice?.kind === 'choice' ? choice.choices : ['']
    return choices.map((type) => ({ id, target: fill(path, { isin, ...bounds, [name]: type }) }))
  })
  const checked = (target: string) =>
    asked.includes(target) && answeredRows.some(([, paths]) => paths.test(target))
  return wanted.filter(({ target }) => !checked(target)).map(({ id, target }) => `${id}: ${target}`)
}

it('the suite asks for an answer of each endpoint and type of the contract', () => {
  expect(forgottenOf(registry)).toEqual([])
  expect(asked.length).toBeGreaterThan(registry.length)
})

it('an endpoint that no list names is found', () => {
  expect(forgottenOf(withMadeUp)).toEqual([
    `carbon-footprint: /api/v3/carbon/${isin}/`,
    'carbon-footprint-all: /api/v3/carbon-all/',
  ])
})

it('the suite asks for each error of the contract, and for no other', () => {
  const declared = [...registry.flatMap(errorCases), ...strayErrorCases].map(
    ({ problem: { group, status, slug } }) => `${group}/#error-${status}-${slug}`,
  )
  // These lists are of GET requests; checks/http.ts asks with other methods.
  const ofGet = declared.filter((anchor) => anchor !== 'index/#error-405-wrongmethod')
  expect([...errorAnchors].sort()).toEqual([...new Set(ofGet)].sort())
})
