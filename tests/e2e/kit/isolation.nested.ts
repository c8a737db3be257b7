import { expect, test } from '../../../lib/kit/playwright'

// Many tests share one machine.
test.use({ waystation: { waitMs: 60_000 } })

const count = Number(process.env.KIT_TESTS ?? 1)

for (let n = 0; n < count; n += 1)
  test(`test ${n} receives its own telemetry and nothing else`, async ({ page, telemetry }) => {
    const marker = `marker-${telemetry.stamp}`
    telemetry.allow(marker)
    const error = telemetry.waitFor.error({ title: `Error: ${marker}` })
    const pageload = telemetry.waitFor.transaction({ op: 'pageload', name: `/page/${n}` })
    await page.goto(`/page/${n}`)
    await page.evaluate((text) => {
      window.underTest.crumb(text)
      window.underTest.log(text)
      window.underTest.fail(text)
      return window.underTest.flush()
    }, marker)
    await Promise.all([error, pageload, telemetry.waitFor.log({ name: marker })])
    await expect(telemetry).toHaveBreadcrumbs([{ message: marker }])
    const { envelopes, events, segments } = telemetry.evidence()
    expect(events.map(({ title }) => title)).toEqual([`Error: ${marker}`])
    expect(segments.map(({ op, name }) => `${op} ${name}`)).toEqual([`pageload /page/${n}`])
    expect(new Set(envelopes.map(({ stamp }) => stamp))).toEqual(new Set([telemetry.stamp]))
    const bytes = telemetry.submissions().map(({ body }) => Buffer.from(body).toString('utf8'))
    const markers = bytes.join('\n').match(/marker-[\w.:-]+/g) ?? []
    expect(new Set(markers)).toEqual(new Set([marker]))
  })
