/** The conformance suite asks for all that the contract declares: its oracle is written by hand, on purpose, and may forget nothing. */
import { expect, it } from 'vitest'
import { errorCases, strayErrorCases } from '../../src/core/api/derive/error-cases.ts'
import { endpoints } from '../../src/core/api/endpoints/index.ts'
import { targetsByError } from '../../src/extensions/conform/checks/answers.ts'
import { openOracle } from '../../src/extensions/conform/oracle/oracle.ts'
import { oracleEndpoints } from '../../src/extensions/conform/oracle/route.ts'
import { initDatabase } from '../../src/core/data/model/new-database.ts'
import { tempFolder } from '../support/folders.ts'
import { insertOddFunds, oddFunds } from '../support/odd-funds.ts'

const folder = tempFolder()

it('the suite asks for an answer of each endpoint of the contract, and of no other', () => {
  const paths = (list: readonly { readonly path: string }[]) => list.map(({ path }) => path).sort()
  expect(paths(oracleEndpoints)).toEqual(paths(endpoints))
})

it('the suite asks for each error of the contract, and for no other', () => {
  const db = folder.file('odd.sqlite')
  initDatabase(db)
  insertOddFunds(db)
  const oracle = openOracle({ db, asOf: oddFunds.asOf, docsUrl: 'https://docs.example' })
  const asked = [...targetsByError(oracle, oracle.isins()).keys()]
  oracle.close()
  const declared = [...endpoints.flatMap(errorCases), ...strayErrorCases].map(
    ({ problem: { group, status, slug } }) => `${group}/#error-${status}-${slug}`,
  )
  // These targets are of GET requests; checks/http.ts asks with other methods.
  const ofGet = declared.filter((error) => error !== 'index/#error-405-wrongmethod')
  expect(asked.sort()).toEqual([...new Set(ofGet)].sort())
})
