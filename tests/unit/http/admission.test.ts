import { describe, expect, it } from 'vitest'
import { admissionRoutes } from '../../../collector/http/admission'
import { readEnvironment } from '../../../lib/config/environment'

function ask(query: string, variables: Record<string, string> = {}) {
  const environment = readEnvironment(variables)
  if (!environment.ok) throw new Error('these variables cannot be read')
  return admissionRoutes({ environment: environment.value }).request(`/admission${query}`)
}

const UPSTREAM = { WAYSTATION_UPSTREAM: 'https://abc@o1.ingest.sentry.io/42' }

describe('asking whether a key and a project are let in', () => {
  it.each([
    ['?key=any&project=7', {}, { admitted: true, localOnly: true }],
    ['?key=abc&project=42', UPSTREAM, { admitted: true, localOnly: false }],
    ['?key=abc&project=43', UPSTREAM, { admitted: false, localOnly: false }],
    ['?key=abd&project=42', UPSTREAM, { admitted: false, localOnly: false }],
    [
      '?key=k&project=1',
      { ...UPSTREAM, WAYSTATION_DSNS: 'https://k@sentry.test/1' },
      { admitted: true, localOnly: false },
    ],
  ])('%s of %j', async (query, variables, answer) => {
    expect(await (await ask(query, variables)).json()).toEqual(answer)
  })

  it.each([
    ['', 'key=: meant is the public key of a DSN, which stands before its @'],
    ['?key=a%20b&project=1', 'key=a b: meant is the public key of a DSN, which stands before its @'],
    ['?key=a', 'project=: meant is the numeric project id at the end of a DSN'],
    ['?key=a&project=one', 'project=one: meant is the numeric project id at the end of a DSN'],
    ['?key=a&projct=1', 'there is no parameter "projct" here; did you mean project?'],
  ])('%s is answered with what was meant', async (query, detail) => {
    const answer = await ask(query)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ detail })
  })
})
