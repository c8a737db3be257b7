import { readFileSync } from 'node:fs'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readPrograms } from '../../../collector/index/lists/read-programs'
import { MAX_SLOW_SEGMENTS, readSlow } from '../../../collector/index/lists/read-slow'
import { missingReleaseRule } from '../../../lib/verdict/rules/missing-release'
import { programsSchema } from '../../../lib/wire/programs'
import { slowSchema } from '../../../lib/wire/slow'
import { removeFolders, submission } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

const NOW = 1_795_000_000_000
const HOUR = 3_600_000
const { facts } = submission()

let folder: RecordedFolder
let made = 0
beforeEach(() => {
  folder = new RecordedFolder(() => NOW)
  return () => folder.close()
})
afterAll(removeFolders)

interface Given {
  readonly name?: string
  readonly op?: string
  readonly platform?: string
  readonly ms?: number
  readonly receivedAt?: number
  readonly release?: string
  readonly environment?: string
  readonly own?: boolean
}

function id(length: number): string {
  made += 1
  return made.toString(16).padStart(length, '0')
}

function transactionItem({ name = '/orders/1', op = 'pageload', platform = 'javascript', ms = 1, ...given }: Given) {
  return {
    ...{ type: 'transaction', transaction: name, platform, start_timestamp: NOW / 1000 },
    ...{ timestamp: NOW / 1000 + ms / 1000, release: given.release, environment: given.environment },
    contexts: { trace: { trace_id: id(32), span_id: id(16), op } },
  }
}

function receive(type: 'transaction' | 'event', payload: object, { receivedAt = NOW, own = false, platform }: Given) {
  const sdk = { name: platform === 'python' ? 'sentry.python' : 'sentry.javascript.browser', version: '11.8.0' }
  const body = [{ sdk }, { type }, payload].map((line) => JSON.stringify(line)).join('\n')
  return folder.receive(body, { receivedAt, facts: own ? { ...facts, own } : facts })
}

const transaction = (given: Given = {}) => receive('transaction', transactionItem(given), given)
const error = (given: Given = {}) => {
  const { platform = 'javascript', release, environment } = given
  const payload = { event_id: id(32), platform, release, environment, timestamp: NOW / 1000, message: 'no' }
  return receive('event', payload, given)
}

const slow = (nowMs: number | null = NOW) => {
  folder.digest()
  return slowSchema.parse(readSlow(folder.db, nowMs))
}
const programs = (nowMs: number | null = NOW) => {
  folder.digest()
  return programsSchema.parse(readPrograms(folder.db, nowMs))
}

/** Thousands of segments are digested, beside other tests. */
const MANY_MS = 60_000

describe('the slow operations', () => {
  it('are the three with the highest p95 and enough segments, then those with fewer', () => {
    const send = (times: number, given: Given) => {
      for (let at = 1; at <= times; at += 1) transaction({ ...given, ms: (given.ms ?? 0) + at })
    }
    send(20, { name: 'GET /item/7', platform: 'node', op: 'http.server', ms: 100 })
    send(5, { name: '/cart', ms: 500 })
    send(1, { name: '/once', ms: 9000 })
    expect(slow().operations).toMatchObject([
      {
        name: '/cart',
        service: 'browser',
        p95Us: 505_000,
        count: 5,
        lastUs: [501_000, 502_000, 503_000, 504_000, 505_000],
      },
      { name: 'GET /item/?', service: 'server', p95Us: 119_000, count: 20, lastUs: { length: 12, 11: 120_000 } },
      { name: '/once', count: 1, isFew: true },
    ])
    send(5, { name: '/fourth', ms: 1000 })
    expect(slow().operations.map(({ name }) => name)).toEqual(['/fourth', '/cart', 'GET /item/?'])
  })

  it('compare the newest 200 of an operation and name the slowest of them', () => {
    transaction({ ms: 9000 })
    for (let at = 0; at < 200; at += 1) transaction({ ms: at === 100 ? 50 : 10 })
    const [operation] = slow().operations
    expect(operation).toMatchObject({ count: 200, p95Us: 10_000 })
    const found = folder.db
      .prepare('SELECT end_us - start_us FROM segments WHERE trace_id = ? AND segment_id = ?')
      .pluck()
      .get(operation?.slowest.traceId, operation?.slowest.segmentId)
    expect(found).toBe(50_000)
  })

  it('are of the last hour, without own telemetry; in a saved run, of its last hour', () => {
    transaction({ name: '/old', receivedAt: NOW - HOUR })
    transaction({ name: '/own', own: true })
    transaction({ name: '/new', receivedAt: NOW - HOUR + 1 })
    expect(slow()).toMatchObject({ operations: [{ name: '/new' }], isPart: false })
    expect(slow(NOW + HOUR).operations).toEqual([])
    expect(slow(null)).toMatchObject({ now: NOW - HOUR + 1, operations: [{ name: '/new' }, { name: '/old' }] })
  })

  it('come with the page loads per minute', () => {
    expect(slow().pageLoads).toBeNull()
    transaction({ ms: 100, receivedAt: NOW - 60_001 })
    transaction({ ms: 200, op: 'navigation' })
    transaction({ ms: 900, op: 'http.server', platform: 'node' })
    const { pageLoads } = slow()
    expect(pageLoads).toMatchObject({ p95Us: 200_000, count: 2 })
    expect(pageLoads?.minutes.slice(-3)).toEqual([null, 100_000, 200_000])
  })

  it('come with the page loads of OpenTelemetry', () => {
    const body = readFileSync(
      new URL('../../fixtures/otlp-requests/browser-document-load.json', import.meta.url),
      'utf8',
    )
    folder.receive(body, {
      endpoint: 'otlp_traces',
      receivedAt: NOW,
      facts: { ...facts, contentType: 'application/json' },
    })
    transaction({ ms: 1 })
    expect(slow().pageLoads).toMatchObject({ count: 2 })
  })

  it(`are of the newest ${MAX_SLOW_SEGMENTS} segments, and the answer says that there are more`, {
    timeout: MANY_MS,
  }, () => {
    const oldest = Array.from({ length: MAX_SLOW_SEGMENTS - 1 }, () => JSON.stringify(transactionItem({ name: '/a' })))
    folder.receiveAll(
      oldest.map((item) => ({ body: `{}\n{"type":"transaction"}\n${item}`, given: { receivedAt: NOW } })),
    )
    expect(slow().isPart).toBe(false)
    transaction({ name: '/b' })
    expect(slow().isPart).toBe(true)
  })
})

describe('the connected programs', () => {
  it('are those that sent something in the last hour, without own telemetry', () => {
    transaction({ release: 'shop@1', environment: 'staging', receivedAt: NOW - 1000 })
    error({ platform: 'python', release: 'jobs@2', environment: 'dev' })
    error({ platform: 'python', receivedAt: NOW - HOUR })
    transaction({ own: true, receivedAt: NOW + 1 })
    const complete = { problems: [], project: submission().project }
    expect(programs()).toEqual({
      now: NOW,
      programs: [
        {
          ...complete,
          service: 'python',
          sdk: 'sentry.python 11.8.0',
          release: 'jobs@2',
          environment: 'dev',
          lastSeen: NOW,
        },
        {
          ...complete,
          ...{ service: 'browser', sdk: 'sentry.javascript.browser 11.8.0', release: 'shop@1' },
          ...{ environment: 'staging', lastSeen: NOW - 1000 },
        },
      ],
      isPart: false,
    })
  })

  const found = () => programs().programs.map(({ problems }) => problems.map((one) => one.found))

  it('lack a release or an environment only if nothing that they sent names one', () => {
    transaction()
    expect(programs().programs[0]?.problems[0]).toEqual({ found: 'no release', fix: missingReleaseRule.fix })
    expect(found()).toEqual([['no release', 'no environment']])
    error({ release: 'shop@1' })
    expect(found()).toEqual([['no environment']])
    transaction({ environment: 'staging' })
    expect(found()).toEqual([[]])
  })

  it('may send web vitals without a release', () => {
    transaction({ op: 'ui.webvital.lcp' })
    expect(found()).toEqual([[]])
  })

  it('trace nothing if five errors came and no span', () => {
    const named = { platform: 'python', release: 'jobs@2', environment: 'dev' }
    for (let at = 0; at < 4; at += 1) error(named)
    expect(found()).toEqual([[]])
    error(named)
    expect(found()).toEqual([['5 errors and no span in the last hour']])
    transaction(named)
    expect(found()).toEqual([[]])
  })

  it('are of the newest 1000 rows, and a span may be among the older ones', () => {
    transaction({ platform: 'python' })
    for (let at = 0; at < 5; at += 1) error({ platform: 'python', release: 'jobs@2', environment: 'dev' })
    const items = Array.from({ length: 999 }, () => JSON.stringify(transactionItem({ release: 'a', environment: 'b' })))
    folder.receiveAll(
      items.map((item) => ({ body: `{}\n{"type":"transaction"}\n${item}`, given: { receivedAt: NOW } })),
    )
    expect(programs()).toMatchObject({ isPart: true })
    folder.receive(`{}\n{"type":"transaction"}\n${items[0]?.replace(/"trace_id":"\w+/, '"trace_id":"f')}`, {})
    expect(found().flat()).toEqual([])
  })
})
