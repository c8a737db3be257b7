import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { LiveHub } from '../../../collector/api/live-hub'
import { createMirrorWait } from '../../../collector/api/mirror-wait'
import { failureOf } from '../../../dashboards/ui/client'
import { readRefusal } from '../../../lib/wire/errors'

const WAIT_MS = 20

const ask = async (head: () => Promise<number>, path: string): Promise<Response> => {
  const app = new Hono()
  app.use('/query/*', createMirrorWait({ head }, new LiveHub(96), WAIT_MS))
  app.get('/query/*', (c) => c.text('answered'))
  return app.request(path)
}

it('a query that judges is refused with the number of facts that the mirror lacks, and boards say so', async () => {
  const answer = await ask(async () => 1300, '/query/losses')
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  expect(failureOf(await readRefusal(answer))).toEqual({
    ...{ kind: 'behind', missing: 1204 },
    detail: 'This collector is still copying from PostgreSQL: 1,204 facts behind.',
  })
})

it('names the store that is away', async () => {
  const away = () => Promise.reject(new Error('PostgreSQL at db/waystation is away: timeout'))
  const answer = await ask(away, '/query/losses')
  expect(failureOf(await readRefusal(answer))).toEqual({
    ...{ kind: 'behind', missing: null },
    detail:
      'What others have stored is unknown: PostgreSQL at db/waystation is away: timeout; an answer now could be wrong.',
  })
})

it('a list is answered from what the mirror has', async () => {
  expect(await (await ask(async () => 1300, '/query/traces')).text()).toBe('answered')
})
