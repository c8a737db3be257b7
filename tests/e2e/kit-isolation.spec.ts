import { expect, test } from '@playwright/test'
import { decodeSubmission, readEvidence } from '../../lib/verdict/evidence/read-evidence'
import { collectorClient } from '../../lib/wire/collector-client'
import { startPageServer } from './kit/page-server'
import { runNested } from './kit/run-nested'
import { startWaystation } from './running'

const WORKERS = Number(process.env.KIT_WORKERS ?? 4)
const TESTS_PER_WORKER = Number(process.env.KIT_TESTS_PER_WORKER ?? 10)

test(`${WORKERS} workers with ${TESTS_PER_WORKER} tests each share a collector without mixing telemetry`, async () => {
  test.setTimeout(600_000)
  const running = await startWaystation({ app: false })
  const pages = await startPageServer(running.localDsn)
  try {
    const results = await runNested({
      file: 'isolation.nested.ts',
      workers: WORKERS,
      env: {
        KIT_TESTS: String(WORKERS * TESTS_PER_WORKER),
        KIT_PAGE_URL: pages.url,
        WAYSTATION_COLLECTOR_URL: running.collectorUrl,
      },
    })
    expect(results.flatMap(({ title, errors }) => errors.map((error) => `${title}: ${error}`))).toEqual([])
    expect(results).toHaveLength(WORKERS * TESTS_PER_WORKER)
    const events = await everyEvent(running.collectorUrl)
    expect(events).toHaveLength(results.length)
    expect(events.filter(({ title, stamp }) => title !== `Error: marker-${stamp}`)).toEqual([])
  } finally {
    await pages.close()
    await running.stop()
  }
})

async function everyEvent(collectorUrl: string) {
  const client = collectorClient(collectorUrl, fetch)
  const events = []
  for (let after = 0; ; ) {
    const page = await client.recorded({ after, limit: 500 })
    events.push(...readEvidence(page.recorded.map(decodeSubmission)).events)
    if (page.next >= page.journal) return events
    after = page.next
  }
}
