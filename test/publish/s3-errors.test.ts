/** What of an error of the client is shown: never what the store said in it. */
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { bareCause, withAdvice } from '../../src/publish/s3-errors.ts'

const token = 'FwoGZXIvYXdzEXAMPLETOKEN'
const place = { name: 's3://funds', bucket: 'funds', endpoint: null, region: null }

it.each([`The token ${token} is not known`, `The provided token\n    at once: ${token}\nhas expired`, token])(
  'an error shows where it came from, and nothing of what the store said (%#)',
  (message) => {
    const error = Object.assign(new Error(message), { name: 'InvalidToken', Token: token })
    expect(inspect(bareCause(error))).not.toContain(token)
    expect(inspect(bareCause(error))).toMatch(/InvalidToken\n {4}at .*s3-errors\.test\.ts:\d+:\d+/)
    expect(inspect(withAdvice(error, place, 'read', 'key'))).not.toContain(token)
    // The SDK sets the message after the stack was made.
    const later = Object.assign(new Error(''), { name: 'InvalidToken' })
    later.stack = error.stack ?? ''
    expect(inspect(bareCause(later))).not.toContain(token)
  },
)
