import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../support/product.ts'
import { run } from './run.ts'
import { expectFailure, oneLine } from './outcome.ts'

const folder = tempFolder()
const inFolder = { cwd: folder.path }

it.each([
  ['buld', "unknown command 'buld' (did you mean build?)"],
  ['publish-everything', "unknown command 'publish-everything' (see fundpress --help)"],
  ['merge part-1 part-2', 'merge is gone: `fundpress build --merge part-1 part-2` does the same'],
  ['diff out live', 'diff is gone: `fundpress plan A B` compares two snapshots'],
  ['plan out --bucket fund-data', 'plan takes two snapshots to compare, or none'],
  [
    'doctor --bucket fund-data',
    'doctor is gone: `fundpress check --bucket` tests everything that a publish needs',
  ],
  ['check --bucket fund-data --db x.sqlite', '--db and --bucket together need --since'],
  ['demo --funds 2', 'demo is gone: `fundpress init --demo` makes the same database'],
  ['init --db x.sqlite --funds 2', '--funds needs --demo'],
  [
    'show DE0008471400 --db x.sqlite',
    'show is gone: `fundpress serve` has a page for each fund, /funds/<ISIN>/',
  ],
  ['completion bash', 'completion is gone: `fundpress --help` lists all commands'],
  ['build --jbos 3', "unknown option '--jbos' (did you mean --jobs?)"],
  ['build --quite', "unknown option '--quite' (did you mean --quiet?)"],
  ['build --frobnicate', "unknown option '--frobnicate' (see fundpress build --help)"],
  ['build --db', "option '--db <file>' argument missing (see fundpress build --help)"],
  ['build surplus', 'too many arguments'],
  ['build --db x.sqlite --jobs many', "'many' is invalid. It must be a whole number from 1 to 256"],
  ['build --db x.sqlite --jobs 0', "'0' is invalid. It must be a whole number from 1 to 256"],
  ['build --db x.sqlite --jobs -1', '--jobs'],
  ['build --as-of 2023-02-30', "'2023-02-30' is invalid. It must be a day that exists, as YYYY-MM-DD"],
  ['build --db x.sqlite --only DE0008471400 DE0008471401', "'DE0008471401' is invalid. It must be an ISIN"],
  ['build --db x.sqlite --docs-url docs.example.com', 'It must be an absolute http or https URL'],
  ['build --db x.sqlite --out ', '--out'],
  ['build', '--db <file> is missing (or FUNDPRESS_DB, or "db" in fundpress.config.json)'],
  ['check --db x.sqlite --as-of 2100-02-29', "'2100-02-29' is invalid"],
  ['init', '--db <file> is missing'],
  ['serve --port 65536', "'65536' is invalid. It must be a whole number from 0 to 65535"],
  ['init --demo --funds 0', "'0' is invalid"],
  ['init --demo --years ten', "'ten' is invalid"],
  ['init --demo --until 2024-13-01', "'2024-13-01' is invalid"],
  ['init --demo --seed=-1', "'-1' is invalid"],
  ['publish', '--bucket <name> is missing (or FUNDPRESS_BUCKET_NAME, or "bucket.name"'],
  ['status', '--bucket <name> is missing'],
  ['publish --bucket Fund_Data', 'It must be a bucket name'],
  ['publish --bucket fund-data --prefix /api', 'It must be a folder without a slash at its beginning or end'],
  [
    'publish --bucket fund-data --max-rate 9',
    '--max-rate is gone: set bucket.maxRate in the config, or FUNDPRESS_BUCKET_MAX_RATE',
  ],
  [
    'serve --live-ttl=1',
    '--live-ttl is gone: set edge.liveTtlSeconds in the config, or FUNDPRESS_EDGE_LIVE_TTL_SECONDS',
  ],
  ['verify --bucket fund-data --deep --sample 0', "'0' is invalid"],
  ['rollback --bucket fund-data --to yesterday', "'yesterday' is invalid. It must be a snapshot id"],
  ['serve --bucket fund-data --out out', '--out and --bucket exclude each other'],
  ['init --demo --config nowhere.json', 'config file nowhere.json does not exist (--config)'],
])('refuses `fundpress %s` in one line, with exit code 2 and nothing done', async (line, reason) => {
  await expectFailure(run(line, inFolder), [oneLine, reason], 2)
  expect(readdirSync(folder.path)).toEqual([])
})

it('FUNDPRESS_DEBUG=1 adds the stack trace of an error', async () => {
  const line = 'check --db missing.sqlite'
  await expectFailure(run(line, inFolder), /^fundpress: missing\.sqlite does not exist.*\n$/)
  await expectFailure(run(line, { ...inFolder, env: { FUNDPRESS_DEBUG: '1' } }), /\n +at .+open\.ts/)
})
