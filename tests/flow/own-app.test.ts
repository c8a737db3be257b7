import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { type CollectorProcess, digested, endCollectors, factAfter, startCollector } from './collector-process'

const run = promisify(execFile)
afterAll(endCollectors)

/** Debian's Python, which may have the package python3-sentry-sdk. */
const PYTHON = '/usr/bin/python3'
function hasPythonSdk(): boolean {
  try {
    execFileSync(PYTHON, ['-c', 'import sentry_sdk'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('a program whose DSN has the host of the collector', () => {
  let standIn: StandIn
  let collector: CollectorProcess
  beforeEach(async () => {
    standIn = await startStandIn()
    collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn(standIn.dsn) })
  })
  afterEach(() => standIn.close())
  const client = () => collectorClient(collector.url, fetch)

  /** Expects the error in the index, and the same bytes at upstream. */
  const expectError = async (title: string, items: number): Promise<void> => {
    await digested(collector, items)
    const { events } = await client().events()
    expect(events.map((event) => [event.title, event.copy])).toEqual([[title, 'no']])
    const seq = events[0]?.seq ?? 0
    await expect.poll(async () => (await client().envelope(seq))?.deliveryStatus.name).toBe('accepted')
    const record = Buffer.from(await (await fetch(client().rawUrl(seq))).arrayBuffer())
    expect(standIn.received().some((post) => record.equals(Buffer.from(post.body)))).toBe(true)
  }

  it('is recorded and relayed: the Node SDK', async () => {
    const program = `
      import * as Sentry from '@sentry/node'
      Sentry.init({ dsn: process.argv[1] })
      Sentry.captureException(new Error('from node'))
      await Sentry.flush(5000)`
    await run(process.execPath, ['--input-type=module', '-e', program, collector.dsn])
    await factAfter(collector, 'digested')
    await expectError('Error: from node', 1)
  })

  it.skipIf(!hasPythonSdk())(
    'is recorded and relayed: the Python SDK (skipped without the package python3-sentry-sdk)',
    async () => {
      const program = `
import sentry_sdk, sys
sentry_sdk.init(dsn=sys.argv[1], traces_sample_rate=1.0)
try:
    raise ValueError('from python')
except ValueError as error:
    sentry_sdk.capture_exception(error)
sentry_sdk.flush(5)`
      await run(PYTHON, ['-c', program, collector.dsn])
      await factAfter(collector, 'digested')
      await expectError('ValueError: from python', 1)
      const [event] = (await client().events()).events
      expect(event?.service).toBe('python')
    },
  )

  it('is recorded and relayed: curl', async () => {
    const id = 'aa'.repeat(16)
    const envelope = `{"event_id":"${id}"}\n{"type":"event"}\n{"message":"from curl","platform":"other"}\n`
    const { stdout } = await run('curl', [
      '-sS',
      '--data-binary',
      envelope,
      '-H',
      'X-Sentry-Auth: Sentry sentry_key=local',
      `${collector.url}/api/1/envelope/`,
    ])
    expect(JSON.parse(stdout)).toEqual({ id })
    await expectError('from curl', 1)
  })

  it('is recorded but not relayed with only the option spotlight', async () => {
    const program = `
      import * as Sentry from '@sentry/node'
      Sentry.init({ spotlight: process.argv[1] + '/stream' })
      Sentry.captureException(new Error('from spotlight'))
      await Sentry.flush(5000)`
    await run(process.execPath, ['--input-type=module', '-e', program, collector.url])
    await factAfter(collector, 'digested')
    const { events } = await client().events()
    expect(events).toMatchObject([{ title: 'Error: from spotlight', copy: 'only', deliveryStatus: { name: 'copy' } }])
    expect(standIn.received()).toEqual([])
    expect((await client().overview()).items.received).toBe(0)
  })
})
