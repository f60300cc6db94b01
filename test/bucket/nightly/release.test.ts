/**
 * `release.yml`, step by step: git, npm and our program are the real ones, the registry of packages is a server of the test. Programs
 * that need GitHub, a registry of images or Sigstore are stand-ins that keep what they are told.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openRunner, type RanJob, type Runner } from '../../support/github/runner.ts'
import { makeTempFolder, repository, tempFolder } from '../../support/product.ts'
import { listen } from '../../support/request.ts'
import { resultsOf, logOf } from './workflow-runs.ts'

const realNpm = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'npm'))
  .find(existsSync)
