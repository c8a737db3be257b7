import { axeFindings, overflow } from './page-quality'
import type { Program } from './program'
import { expect, type Page, test } from './station'

const newId = (): string => crypto.randomUUID().replaceAll('-', '')
const START_S = 1_795_000_000

/** Sends a request with a query of table a, b, c for each of these durations, in seconds; none for 0. */
async function sendRequest(program: Program, name: string, queries: readonly number[]): Promise<string> {
  const [traceId, spanId] = [newId(), newId().slice(0, 16)]
  const transaction = {
    ...{ type: 'transaction', event_id: newId(), transaction: name, platform: 'node' },
    ...{ start_timestamp: START_S, timestamp: START_S + 1 },
    contexts: { trace: { trace_id: traceId, span_id: spanId, op: 'http.server', status: 'ok' } },
    spans: queries.flatMap((seconds, at) =>
      seconds === 0
        ? []
        : {
            ...{
              trace_id: traceId,
              span_id: newId().slice(0, 16),
              parent_span_id: spanId,
              op: 'db.query',
              status: 'ok',
            },
            description: `SELECT * FROM t${'abc'[at]} WHERE id = ${Math.round(seconds * 1000)}`,
            ...{ start_timestamp: START_S + 0.1, timestamp: START_S + 0.1 + seconds },
          },
    ),
  }
  await program.send(
    [{ event_id: newId() }, { type: 'transaction' }, transaction].map((one) => JSON.stringify(one)).join('\n'),
  )
  return traceId
}

async function drop(page: Page, name: string, content: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([fileName, text]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([text], fileName, { type: 'application/json' }))
      return transfer
    },
    [name, content] as const,
  )
  await page.dispatchEvent('body', 'drop', { dataTransfer })
}

const [FILE_TRACE, FILE_SPAN] = ['b'.repeat(32), 'c'.repeat(16)] as const
const OTLP = JSON.stringify({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
      scopeSpans: [
        {
          spans: [
            {
              ...{ traceId: FILE_TRACE, spanId: FILE_SPAN, name: '<b>pay</b>', kind: 2 },
              ...{ startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000000400000000' },
              attributes: [{ key: 'cart', value: { stringValue: '<img src=x onerror=alert(1)>' } }],
            },
          ],
        },
      ],
    },
  ],
})

test('two traces of one name are compared, as a table and as Markdown', async ({ page, program, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const name = `GET /compared-${newId().slice(0, 6)}x`
  const other = await sendRequest(program, name, [0.1, 0, 0.05])
  const traceId = await sendRequest(program, name, [0.3, 0.05, 0.05])
  await page.goto(`/traces/${traceId}?view=compare`)
  await page.getByLabel('Compare with').selectOption({ value: other })
  const table = page.getByRole('table', { name: 'Differences of two traces' })
  // The head, the bytes, the root above the two queries.
  await expect(table.getByRole('row')).toHaveCount(5)
  await expect(table.getByRole('row', { name: /SELECT \* FROM ta/ })).toContainText('100 ms300 ms+200 ms (+200 %)')
  await expect(table.getByRole('row', { name: /SELECT \* FROM tb/ })).toContainText('–50.0 msadded')
  await expect(page).toHaveURL(new RegExp(`with-trace=${other}`))
  expect(await axeFindings(page)).toEqual([])
  expect(await overflow(page)).toBeNull()
  await page.getByRole('button', { name: 'Copy as Markdown' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain('| `server` `db.query` `SELECT * FROM tb WHERE id = ?` | – | 50.0 ms | added |')
  await page.getByLabel('also the 1 that did not change').check()
  await expect(table.getByRole('row')).toHaveCount(6)
  await page.reload()
  await expect(table.getByRole('row')).toHaveCount(5)
})

test('a trace file is shown without any request, and closed again', async ({ page, program }) => {
  const traceId = await sendRequest(program, 'GET /stored', [0.1])
  await page.goto(`/traces/${traceId}?span=${'0'.repeat(16)}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('GET /stored')
  const requests: string[] = []
  page.on('request', (request) => requests.push(`${request.url()} ${request.postData() ?? ''}`))
  await drop(page, 'otlp.json', OTLP)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('<b>pay</b>')
  await expect(page.getByText('From a file: otlp.json; nothing was sent or stored.')).toBeVisible()
  await page.locator('tr[data-row]').first().click()
  await expect(page.getByRole('complementary', { name: 'Detail' })).toContainText('<img src=x onerror=alert(1)>')
  // The frame of the page goes on reading the newest traces; nothing names that of the file.
  const named = requests.filter((one) => [FILE_TRACE, FILE_SPAN, 'pay'].some((part) => one.includes(part)))
  expect(named).toEqual([])
  expect(await axeFindings(page)).toEqual([])
  expect(await overflow(page)).toBeNull()
  await page.getByRole('button', { name: 'Close the file' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('GET /stored')
  await expect(page).toHaveURL(new RegExp(`/traces/${traceId}$`))
})

test('the list opens a file from its menu, and says what is wrong with another', async ({ page, program }) => {
  await sendRequest(program, 'GET /listed', [0.1])
  await page.goto('/traces')
  await page.getByRole('search').getByRole('button', { name: 'More' }).click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Open a trace file' }).click()
  await (await chooser).setFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from(OTLP) })
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('<b>pay</b>')
  await page.getByRole('button', { name: 'Close the file' }).click()
  await drop(page, 'bad.json', '{"frames":[]}')
  await expect(page.getByRole('alert')).toContainText('Found an object with frames. Three formats are read')
  await page.getByRole('button', { name: 'Close the file' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Traces')
})
