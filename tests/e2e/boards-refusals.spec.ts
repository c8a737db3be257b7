import { post } from './program'
import { expect, test } from './station'

// A station of its own: it counts refusals from 0.
test.use({ env: { WAYSTATION_MAX_AGE: '30d' } })

const NOT_OURS = ['{}', '{"type":"event"}', '{"message":"not ours"}'].join('\n')

test('the home page shows why envelopes were refused, and what to do', async ({ page, station }) => {
  await page.goto('/')
  const reasons = page.getByRole('list', { name: 'Refused, by reason' })
  const stop = page.locator('[data-stop="received"]')
  await expect(stop).toContainText('0 requests refused')
  const stranger = 'http://stranger@127.0.0.1/999'
  expect(await post(station, NOT_OURS, { dsn: stranger })).toBe(403)
  await expect(reasons.getByRole('listitem')).toHaveText([/^1 refused.*use the local DSN/])
  expect(await post(station, 'no envelope')).toBe(400)
  expect(await post(station, 'no envelope')).toBe(400)
  await expect(reasons.getByRole('listitem')).toHaveText([
    /^2 refused.*does not begin with a JSON object/,
    /^1 refused/,
  ])
  await expect(stop).toContainText('3 requests refused on arrival')
  const { counts, refusals } = await station.collector.overview()
  expect([counts.refused, refusals]).toEqual([
    3,
    [
      { reason: 'header_not_json', envelopes: 2 },
      { reason: 'unknown_project', envelopes: 1 },
    ],
  ])
  const misspelt = await fetch(new URL('/api/1/envelop/', station.running.collectorUrl), { method: 'POST' })
  expect(misspelt.status).toBe(404)
  await expect(page.locator('[data-refused-path="POST /api/1/envelop/"]')).toHaveText('POST /api/1/envelop/ 1')
})
