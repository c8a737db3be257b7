import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { answerAdmission } from '../../../collector/api/query/routes'
import { readEnvironment } from '../../../lib/config/environment'
import { valueIn } from '../value-in'

function query(parameters: string, variables: Record<string, string> = {}) {
  const environment = valueIn(readEnvironment(variables))
  const app = new Hono().get('/admission', (c) => answerAdmission(c, environment))
  return app.request(`/admission${parameters}`)
}

const UPSTREAM = { WAYSTATION_UPSTREAM: 'https://abc@o1.ingest.sentry.io/42' }

it.each([
  ['admits any DSN without an upstream', '?key=any&project=7', {}, { admitted: true, localOnly: true }],
  ['admits key and project of the upstream', '?key=abc&project=42', UPSTREAM, { admitted: true, localOnly: false }],
  ['rejects another project', '?key=abc&project=43', UPSTREAM, { admitted: false, localOnly: false }],
  ['rejects another key', '?key=abd&project=42', UPSTREAM, { admitted: false, localOnly: false }],
  [
    'admits a DSN of WAYSTATION_DSNS',
    '?key=k&project=1',
    { ...UPSTREAM, WAYSTATION_DSNS: 'https://k@sentry.test/1' },
    { admitted: true, localOnly: false },
  ],
])('GET /query/admission %s', async (_rule, parameters, variables, answer) => {
  expect(await (await query(parameters, variables)).json()).toEqual(answer)
})

it.each([
  ['', 'key=: must be the public key of a DSN (the part before @)'],
  ['?key=a%20b&project=1', 'key=a b: must be the public key of a DSN (the part before @)'],
  ['?key=a', 'project=: must be the numeric project id at the end of a DSN'],
  ['?key=a&project=one', 'project=one: must be the numeric project id at the end of a DSN'],
  ['?key=a&projct=1', 'there is no parameter "projct" here; did you mean project?'],
])('GET /query/admission rejects the parameters "%s" and states the valid ones', async (parameters, detail) => {
  const answer = await query(parameters)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ detail })
})
