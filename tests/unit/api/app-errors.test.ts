import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { answerErrors } from '../../../collector/app'
import { DiskFullError } from '../../../collector/runtime/sqlite-errors'
import { StoppingError } from '../../../collector/runtime/thread-errors'
import { EvictionTimeoutError } from '../../../collector/spool/disk/budget-keeper'

const withCode = (code: string, message = 'it failed'): Error => Object.assign(new Error(message), { code })

/** The answers to requests whose handler throws these errors, and the errors that were logged. */
async function answersTo(...errors: readonly Error[]) {
  const logged: Error[] = []
  const left = [...errors]
  const app = new Hono().onError(answerErrors((error) => logged.push(error)))
  app.get('/', () => Promise.reject(left.shift()))
  const statuses: number[] = []
  for (const _ of errors) statuses.push((await app.request('/')).status)
  return { statuses, logged }
}

describe('an error in a request', () => {
  it.each([
    ['a full disk', new DiskFullError('full')],
    ['a full database', withCode('SQLITE_FULL')],
    ['a locked database', withCode('SQLITE_BUSY')],
    ['slow eviction', new EvictionTimeoutError()],
    ['a stop', new StoppingError()],
  ])('is answered with 503 and not logged if it is %s', async (_name, error) => {
    expect(await answersTo(error, error)).toEqual({ statuses: [503, 503], logged: [] })
  })

  it('is answered with 503 and logged once per code if storage fails', async () => {
    const [first, other] = [withCode('SQLITE_IOERR_WRITE'), withCode('SQLITE_READONLY')]
    const { statuses, logged } = await answersTo(first, withCode('SQLITE_IOERR_WRITE'), other)
    expect([statuses, logged]).toEqual([
      [503, 503, 503],
      [first, other],
    ])
  })

  it('is answered with 500 and logged each time otherwise, also if its message contains the word "disk"', async () => {
    const errors = [new TypeError('no such disk function'), new TypeError('no such disk function')]
    expect(await answersTo(...errors)).toEqual({ statuses: [500, 500], logged: errors })
  })
})
