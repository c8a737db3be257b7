import { afterAll, describe, expect, it } from 'vitest'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  endCollectors,
  factAfter,
  postEnvelope,
  receivedSeqs,
  startCollector,
} from './collector-process'
import { errorEnvelope } from './envelopes'
import { upstream } from './upstream'

afterAll(endCollectors)

const client = (collector: CollectorProcess) => collectorClient(collector.url, fetch)
const ready = async (collector: CollectorProcess): Promise<{ status: number; text: string }> => {
  const response = await fetch(`${collector.url}/health/ready`)
  return { status: response.status, text: await response.text() }
}
/** A load balancer goes on to send envelopes here. */
async function takes(collector: CollectorProcess): Promise<void> {
  const response = await fetch(`${collector.url}/health/intake`)
  expect([response.status, await response.json()]).toEqual([200, { status: 'taking', refusing: [] }])
}
/** Resolves with the upstreams once the first is in this state. */
async function untilState(collector: CollectorProcess, state: string) {
  await expect.poll(async () => (await client(collector).overview()).upstreams[0]?.state).toBe(state)
  return (await client(collector).overview()).upstreams
}

describe('an upstream that refuses the DSN', () => {
  it.each([401, 403, 404, 302])(
    'the relay pauses after %i: nothing is lost, readiness and overview show the reason, and a restart resumes at once',
    async (status) => {
      const standIn = await upstream()
      standIn.play({ answers: [{ status, body: 'no such project', headers: { location: 'http://127.0.0.1:9/' } }] })
      const collector = await startCollector({ WAYSTATION_UPSTREAM: `http://mistyped@${standIn.dsn.host}/1` })
      const sent = [1, 2, 3].map(() => errorEnvelope(collector.dsn).body)
      for (const body of sent) await postEnvelope(collector, body)
      const [state] = await untilState(collector, 'paused')
      expect(state).toMatchObject({ pending: 3, deadLetters: 0, paused: { status, answer: 'no such project' } })
      expect((state?.retryAt ?? 0) - (state?.paused?.since ?? 0)).toBe(60_000)
      await takes(collector)
      const { status: health, text } = await ready(collector)
      expect(health).toBe(503)
      expect(text).toContain(`answers ${status} (no such project)`)
      expect(text).toContain('3 pending')
      expect((await client(collector).overview()).items).toMatchObject({ received: 3, pending: 3 })

      await collector.stop()
      standIn.forget()
      standIn.play({ answers: [] })
      const again = await collector.restart()
      await expect.poll(async () => (await client(again).overview()).items.outcomes.accepted).toBe(3)
      expect(standIn.received().map(({ body }) => Buffer.from(body).toString())).toEqual(sent)
      await expect.poll(async () => (await ready(again)).status).toBe(200)
    },
  )

  it('is reported once on the terminal, and again when it accepts posts', async () => {
    const standIn = await upstream()
    standIn.play({ answers: [{ status: 403, body: 'no\nsuch key' }] })
    const collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn(standIn.dsn) })
    const upstreamLog = () =>
      collector
        .output()
        .split('\n')
        .filter((line) => line.startsWith(`${standIn.dsn.host}/1 `))
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    const [paused] = await untilState(collector, 'paused')
    await client(collector).tryNow()
    await expect.poll(async () => (await client(collector).overview()).upstreams[0]?.retryAt).not.toBe(paused?.retryAt)
    await expect.poll(async () => (await client(collector).overview()).upstreams[0]?.open).toBe(0)
    expect(upstreamLog()).toEqual([
      expect.stringContaining('is paused: it answers 403 (no such key), which refuses the DSN'),
    ])
    standIn.play({ answers: [] })
    await client(collector).tryNow()
    await expect
      .poll(upstreamLog)
      .toEqual([expect.stringContaining('is paused'), expect.stringContaining('accepts posts again')])
  })

  it('gets a probe at once on request', async () => {
    const standIn = await upstream()
    standIn.play({ answers: [{ status: 403, times: 1 }] })
    const collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn(standIn.dsn) })
    expect(await client(collector).tryNow()).toBe(0)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await untilState(collector, 'paused')
    expect(await client(collector).tryNow()).toBe(1)
    await expect.poll(async () => (await client(collector).overview()).items.outcomes.accepted).toBe(1)
    expect(standIn.received()).toHaveLength(2)
  })

  it('keeps its pending records when another key is configured, and readiness reports them', async () => {
    const standIn = await upstream()
    standIn.play({ answers: [{ status: 401 }] })
    const collector = await startCollector({ WAYSTATION_UPSTREAM: `http://mistyped@${standIn.dsn.host}/1` })
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await untilState(collector, 'paused')
    await collector.stop()
    standIn.play({ answers: [] })
    standIn.forget()
    const fixed = await collector.restart({ WAYSTATION_UPSTREAM: formatDsn(standIn.dsn) })
    const { body } = errorEnvelope(fixed.dsn)
    await postEnvelope(fixed, body)
    await factAfter(fixed, 'decided')
    expect(await client(fixed).overview()).toMatchObject({
      stranded: [{ publicKey: 'mistyped', project: '1', records: 1 }],
    })
    const { status, text } = await ready(fixed)
    expect(status).toBe(503)
    expect(text).toContain(
      '1 envelope is pending for project 1 with a key that no configured DSN has (mist…): add the old DSN to WAYSTATION_DSNS',
    )
    expect(standIn.received().map((post) => Buffer.from(post.body).toString())).toEqual([body])

    await fixed.stop()
    const both = await fixed.restart({
      WAYSTATION_UPSTREAM: formatDsn(standIn.dsn),
      WAYSTATION_DSNS: `http://mistyped@${standIn.dsn.host}/1`,
    })
    await expect.poll(async () => (await client(both).overview()).items.outcomes.accepted).toBe(2)
    expect(await client(both).overview()).toMatchObject({ stranded: [] })
    expect((await ready(both)).status).toBe(200)
  })
})

describe('several upstreams', () => {
  it('are relayed independently: a hanging or paused upstream delays no other', async () => {
    const [hanging, refusing, taking] = [await upstream(), await upstream(), await upstream()]
    hanging.play({ answers: [{ does: 'hang' }] })
    refusing.play({ answers: [{ status: 403 }] })
    const collector = await startCollector({
      WAYSTATION_UPSTREAM: `http://hanging@${hanging.dsn.host}/1`,
      WAYSTATION_DSNS: `http://refusing@${refusing.dsn.host}/2, http://taking@${taking.dsn.host}/3`,
    })
    const post = (key: string, project: number): Promise<Response> =>
      postEnvelope(collector, errorEnvelope(`http://${key}@127.0.0.1:8969/${project}`).body)
    for (let each = 0; each < 40; each += 1)
      await Promise.all([post('hanging', 1), post('refusing', 2), post('taking', 3)])
    await expect.poll(() => taking.received().length).toBe(40)
    await expect
      .poll(async () => (await client(collector).overview()).upstreams)
      .toMatchObject([
        { label: `${hanging.dsn.host}/1`, state: 'relaying', pending: 40, open: 30 },
        { label: `${refusing.dsn.host}/2`, state: 'paused', pending: 40, open: 0 },
        { label: `${taking.dsn.host}/3`, state: 'idle', pending: 0, open: 0 },
      ])
    expect(hanging.received()).toHaveLength(30)
  })

  it('two upstreams with the same DSN count as one: upstream gets each envelope once', async () => {
    const standIn = await upstream()
    const dsn = formatDsn(standIn.dsn)
    const collector = await startCollector({ WAYSTATION_UPSTREAM: dsn, WAYSTATION_DSNS: `${dsn},${dsn}` })
    for (let each = 0; each < 2; each += 1) await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await expect.poll(async () => (await client(collector).overview()).items.outcomes.accepted).toBe(2)
    await collector.stop()
    expect(standIn.received()).toHaveLength(2)
  })

  it('two addresses for one key and project stop the start with a message that names both', async () => {
    await expect(
      startCollector({ WAYSTATION_UPSTREAM: 'https://k@a.test/1', WAYSTATION_DSNS: 'https://k@b.test/1' }),
    ).rejects.toThrow('https://k@a.test/1 and https://k@b.test/1 share key k')
  })

  it('can be two keys of one project: each envelope uses its own key, and limits apply to their key', async () => {
    const standIn = await upstream()
    const collector = await startCollector({
      WAYSTATION_UPSTREAM: `http://first@${standIn.dsn.host}/7`,
      WAYSTATION_DSNS: `http://second@${standIn.dsn.host}/7`,
    })
    standIn.play({ answers: [{ status: 429, headers: { 'x-sentry-rate-limits': '60:error:key' }, times: 1 }] })
    const post = (key: string): Promise<Response> =>
      postEnvelope(collector, errorEnvelope(`http://${key}@127.0.0.1:8969/7`).body)
    await post('first')
    const first = await factAfter(collector, 'decided')
    const [limited, other] = [await post('first'), await post('second')]
    expect(limited.headers.get('x-sentry-rate-limits')).toContain(':error:')
    expect(other.headers.get('x-sentry-rate-limits')).toBeNull()
    await factAfter(collector, 'decided', await factAfter(collector, 'decided', first))
    // After 5 s a report of what the limit cut goes upstream.
    const posts = standIn.received().filter(({ body }) => !Buffer.from(body).includes('client_report'))
    const keys = posts.map(({ headers }) => /sentry_key=(\w+)/.exec(headers['x-sentry-auth'] ?? '')?.[1])
    expect(keys).toEqual(['first', 'second'])
    const deliveryStatuses = await Promise.all(
      (await receivedSeqs(collector)).map(async (seq) => (await client(collector).envelope(seq))?.deliveryStatus),
    )
    expect(deliveryStatuses).toEqual([
      { name: 'rate_limited', reason: 'upstream_429' },
      { name: 'rate_limited', reason: 'limited' },
      { name: 'accepted', reason: null },
    ])
  })
})
