import { expect, test } from '@playwright/test'
import { startPageServer } from './kit/page-server'
import { runNested } from './kit/run-nested'
import { startWaystation } from './running'

test('a page that calls another origin behaves the same with and without the kit', async () => {
  test.setTimeout(240_000)
  const running = await startWaystation({ app: false })
  const pages = await startPageServer(running.localDsn)
  try {
    const results = await runNested({
      file: 'other-origin.nested.ts',
      workers: 1,
      env: { KIT_PAGE_URL: pages.url, KIT_OTHER_URL: pages.otherUrl, WAYSTATION_COLLECTOR_URL: running.collectorUrl },
    })
    expect(results).toMatchObject([
      { title: 'plain: a page calls another origin', status: 'passed' },
      { title: 'kit: a page calls another origin', status: 'passed' },
    ])
    const [plain, kit, ...others] = pages.seenByOther()
    expect(others).toEqual([])
    expect(plain).toMatchObject({ method: 'GET', url: '/plain' })
    expect(kit).toEqual({ ...plain, url: '/kit' })
  } finally {
    await pages.close()
    await running.stop()
  }
})
