import { axeFindings, overflow } from './page-quality'
import type { Program } from './program'
import { expect, type Page, test } from './station'

const newId = (): string => crypto.randomUUID().replaceAll('-', '')
const newSpanId = (): string => newId().slice(0, 16)

const START_S = 1_795_000_000

interface Made {
  readonly spanId: string
  readonly op: string
  readonly name: string
  /** Seconds after the start of the trace. */
  readonly from: number
  readonly to: number
  readonly status?: string
}

/** Sends a transaction with children at these times. */
async function sendSegment(
  program: Program,
  traceId: string,
  parentSpanId: string | null,
  segment: Made & { readonly platform: string },
  children: readonly (Omit<Made, 'spanId'> & { readonly spanId?: string; readonly data?: object })[],
): Promise<void> {
  const timesOf = ({ from, to }: Pick<Made, 'from' | 'to'>) => ({
    start_timestamp: START_S + from,
    timestamp: START_S + to,
  })
  const transaction = {
    ...{ type: 'transaction', event_id: newId(), transaction: segment.name, platform: segment.platform },
    ...timesOf(segment),
    measurements: segment.op === 'pageload' ? { lcp: { value: 700, unit: 'millisecond' } } : {},
    contexts: {
      trace: {
        ...{ trace_id: traceId, span_id: segment.spanId, op: segment.op, status: segment.status ?? 'ok' },
        ...(parentSpanId !== null && { parent_span_id: parentSpanId }),
      },
    },
    spans: children.map((child) => ({
      ...{ trace_id: traceId, span_id: child.spanId ?? newSpanId(), parent_span_id: segment.spanId },
      ...{ op: child.op, description: child.name, status: child.status ?? 'ok', data: child.data ?? {} },
      ...timesOf(child),
    })),
  }
  await program.send(
    [{ event_id: newId() }, { type: 'transaction' }, transaction].map((one) => JSON.stringify(one)).join('\n'),
  )
}

/** A page load of a second: a call to the server, which makes six queries one after the other and then fails. */
async function sendTrace(program: Program): Promise<string> {
  const [traceId, page, call, server] = [newId(), newSpanId(), newSpanId(), newSpanId()]
  await sendSegment(
    program,
    traceId,
    call,
    {
      spanId: server,
      op: 'http.server',
      name: 'POST /api/pay',
      platform: 'node',
      from: 0.31,
      to: 0.89,
      status: 'internal_error',
    },
    [
      ...Array.from({ length: 6 }, (_, at) => ({
        ...{ op: 'db.query', name: `SELECT * FROM item WHERE id = ${at}` },
        ...{ from: 0.32 + at * 0.05, to: 0.365 + at * 0.05 },
      })),
      { op: 'http.client', name: 'POST bank.example/charge', from: 0.65, to: 0.88 },
    ],
  )
  await sendSegment(
    program,
    traceId,
    null,
    { spanId: page, op: 'pageload', name: '/pay', platform: 'javascript', from: 0, to: 1 },
    [
      { op: 'ui.long-task', name: 'Main thread blocked', from: 0.1, to: 0.2 },
      {
        spanId: call,
        op: 'http.client',
        name: 'POST /api/pay',
        from: 0.3,
        to: 0.9,
        data: { 'http.response.status_code': 500 },
      },
    ],
  )
  return traceId
}

/** Resolves when a list has not grown for a second. */
async function settled(list: readonly unknown[]): Promise<void> {
  let [length, since] = [-1, Date.now()]
  const unchangedMs = (): number => {
    if (list.length !== length) [length, since] = [list.length, Date.now()]
    return Date.now() - since
  }
  await expect.poll(unchangedMs, { intervals: [100] }).toBeGreaterThan(1000)
}

const row = (page: Page, name: string) => page.getByRole('treegrid').getByRole('row').filter({ hasText: name })
const names = (page: Page): Promise<readonly string[]> => page.locator('tr[data-row] bdi').allTextContents()

test.describe('a trace', () => {
  test('shows lanes, groups, gaps and the critical path on one axis', async ({ page, program }) => {
    await page.goto(`/traces/${await sendTrace(program)}`)
    const group = row(page, 'SELECT * FROM item WHERE id = ?')
    await expect(group).toContainText('6 ×')
    await expect(group).toContainText('N+1')
    await expect(group).toContainText('270 ms total, slowest 45.0 ms')
    await expect(row(page, 'no spans for 100 ms').first()).toBeVisible()
    await expect(row(page, '/pay').first()).toContainText('1.00 s')
    await expect(page.getByRole('list', { name: 'Page' })).toContainText('LCP 700 ms')
    await expect(page.getByRole('list', { name: 'Page' })).toContainText('Main thread busy for 100 ms')
    await expect(page.getByRole('list', { name: 'Delivery' }).getByRole('button')).not.toHaveCount(0)
    await expect(page.getByRole('main').getByRole('definition').filter({ hasText: '300 ms' })).toContainText(
      'pageload, 30 %',
    )
    await group.click()
    await expect(row(page, 'SELECT * FROM item WHERE id = 5')).toBeVisible()
    await expect(page).toHaveURL(/fold=/)
    await page.reload()
    await expect(row(page, 'SELECT * FROM item WHERE id = 5')).toBeVisible()
    await page.getByRole('button', { name: 'Collapse all' }).click()
    await expect(page.locator('tr[data-row]')).toHaveCount(1)
    await page.getByRole('button', { name: 'Expand all' }).click()
    await expect(row(page, 'POST bank.example/charge')).toBeVisible()
  })

  test('opens spans of the request that rendered the page, and groups them', async ({ page, program }) => {
    const [traceId, request] = [newId(), newSpanId()]
    await sendSegment(
      program,
      traceId,
      null,
      { spanId: request, op: 'http.server', name: 'GET /shop', platform: 'node', from: 0.05, to: 0.4 },
      Array.from({ length: 3 }, (_, at) => ({
        ...{ op: 'db.query', name: `SELECT ${at}` },
        ...{ from: 0.06 + at * 0.1, to: 0.1 + at * 0.1 },
      })),
    )
    await sendSegment(
      program,
      traceId,
      request,
      { spanId: newSpanId(), op: 'pageload', name: '/shop', platform: 'javascript', from: 0, to: 1 },
      [{ op: 'browser.request', name: 'http://localhost/shop', from: 0, to: 0.45 }],
    )
    await page.goto(`/traces/${traceId}`)
    await expect(page.locator('tr[data-row]').first()).toContainText('/shop')
    await expect(page.locator('tr[data-row]').first()).toContainText('pageload')
    const group = row(page, 'SELECT ?')
    await expect(group).toContainText('3 ×')
    await group.click()
    await row(page, 'SELECT 1').click()
    const detail = page.getByRole('complementary', { name: 'Detail' })
    await expect(detail.getByRole('heading', { name: 'SELECT 1' })).toBeVisible()
    await expect(detail).toContainText('http.server "GET /shop" >> db.query "SELECT *"')
  })

  test('is searched, also in folded rows; only matches and the spans above them stay', async ({ page, program }) => {
    await page.goto(`/traces/${await sendTrace(program)}`)
    await expect(row(page, 'POST bank.example/charge')).toBeVisible()
    await page.keyboard.press('/')
    await page.keyboard.type('op:db duration:>4%')
    const search = page.getByRole('search', { name: '' }).or(page.locator('search'))
    await expect(search.getByRole('status')).toHaveText('6 matches')
    await expect(row(page, '6 ×')).toContainText('6 hidden matches')
    await page.keyboard.press('Enter')
    await expect(search.getByRole('status')).toHaveText('1 of 6')
    await expect(row(page, 'SELECT * FROM item WHERE id = 0')).toHaveAttribute('aria-selected', 'true')
    await page.getByRole('button', { name: 'Only matches' }).click()
    await expect(row(page, 'POST bank.example/charge')).toHaveCount(0)
    await expect(row(page, 'POST /api/pay').first()).toBeVisible()
    await page.getByRole('searchbox', { name: 'Find in this trace' }).fill('color:red')
    await expect(search).toContainText('a trace is not searched by color')
  })

  test('corrects the clock of another service, and marks open and repeated spans', async ({ page, program }) => {
    const [traceId, call, query] = [newId(), newSpanId(), newSpanId()]
    const times = { from: 5, to: 5.5 }
    await sendSegment(
      program,
      traceId,
      null,
      { spanId: call, op: 'http.client', name: 'GET /rates', platform: 'javascript', ...times },
      [{ op: 'ui.wait', name: 'waits for ever', from: 5.1, to: Number.NaN }],
    )
    const handler = { spanId: newSpanId(), op: 'http.server', name: 'rates', platform: 'node', from: 2, to: 2.3 }
    const rows = { spanId: query, op: 'db.query', name: 'SELECT rate', from: 2.1, to: 2.2 }
    for (const data of [{}, { 'db.response.returned_rows': 12 }])
      await sendSegment(program, traceId, call, handler, [{ ...rows, data }])

    await page.goto(`/traces/${traceId}`)
    await expect(row(page, 'waits for ever')).toContainText('still open')
    await expect(row(page, 'SELECT rate')).toContainText(/sent again.*12 rows/)
    await expect(row(page, 'rates').last()).toContainText('outside parent')
    await page.getByRole('button', { name: 'Correct clocks 2' }).click()
    await expect(page).toHaveURL(/with=clocks/)
    await expect(row(page, 'rates').last()).not.toContainText('outside parent')
    await row(page, 'rates').last().click()
    const detail = page.getByRole('complementary', { name: 'Detail' })
    await expect(detail).toContainText('Moved by +3.10 s, because it starts before the parent')
    await expect(detail).toContainText('Sent again.')
    await page.getByRole('combobox', { name: 'Minimum duration' }).selectOption('≥ 100 ms')
    await expect(page).toHaveURL(/find=duration%3A%3E%3D100ms/)
    await expect(row(page, 'waits for ever')).toHaveCount(0)
    expect(await axeFindings(page)).toEqual([])
  })

  test('zoom renders no row, and lives in the address', async ({ page, program }) => {
    await page.goto(`/traces/${await sendTrace(program)}?show=none`)
    await expect(row(page, 'POST bank.example/charge')).toBeVisible()
    await page.evaluate(() => {
      const watched = document.querySelector('[role=treegrid] tbody')
      if (watched === null) throw new TypeError('the waterfall has no rows')
      new MutationObserver((changes) => {
        const seen = Number(document.documentElement.dataset.changes ?? 0)
        const real = changes.filter(({ type, attributeName }) => type !== 'attributes' || attributeName !== 'data-side')
        document.documentElement.dataset.changes = String(seen + real.length)
      }).observe(watched, { subtree: true, childList: true, attributes: true, characterData: true })
    })
    for (const key of ['w', 'w', 'w', 'd']) await page.keyboard.press(key)
    await expect(page).toHaveURL(/zoom=\d+-\d+/)
    await expect(page.getByRole('button', { name: 'Reset zoom' })).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.dataset.changes ?? '0')).toBe('0')
    await expect(page.locator('tr[data-side="earlier"]')).not.toHaveCount(0)
    await page.keyboard.press('0')
    await expect(page.locator('tr[data-side="earlier"]')).toHaveCount(0)
  })

  test('asks for nothing while other traces arrive, and for its own news by each fact', async ({
    page,
    program,
    station,
  }) => {
    const traceId = await sendTrace(program)
    const newest = async () => (await station.collector.traces({ limit: 1 })).traces[0]
    // Its own delivery is news too.
    await expect.poll(async () => (await newest())?.deliveryStatus.name).toBe('accepted')
    const requests: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname.includes(traceId)) requests.push(pathname + search)
    })
    await page.goto(`/traces/${traceId}`)
    await expect(row(page, 'POST bank.example/charge')).toBeVisible()
    // The stream's opening causes a read of news, after a rest of four times the first read.
    await expect.poll(() => requests.some((request) => request.includes('after='))).toBe(true)
    await settled(requests)
    const before = [...requests]
    await program.sendTransactions(...Array.from({ length: 20 }, (_, at) => ({ name: `/other/${at}` })))
    await expect.poll(async () => (await newest())?.name).toBe('/other/19')
    await expect.poll(async () => (await newest())?.deliveryStatus.name).toBe('accepted')
    await settled(requests)
    expect(requests).toEqual(before)
    await sendSegment(
      program,
      traceId,
      null,
      { spanId: newSpanId(), op: 'task', name: 'late job', platform: 'node', from: 0.95, to: 0.99 },
      [],
    )
    await expect(row(page, 'late job')).toBeVisible()
    await settled(requests)
    const news = requests.slice(before.length)
    expect(news.filter((request) => !request.includes('after='))).toEqual([])
    // It is digested, delivered and decided: a fact each.
    expect(news.length).toBeLessThanOrEqual(3)
  })

  test('is toured with the keyboard: path, errors, groups, subtree', async ({ page, program }) => {
    await page.goto(`/traces/${await sendTrace(program)}?show=none`)
    await expect(row(page, 'POST bank.example/charge')).toBeVisible()
    const selected = page.locator('tr[aria-selected="true"]')
    const { keyboard } = page
    await keyboard.press('.')
    await expect(selected).toContainText('/pay')
    for (let step = 0; step < 30 && !(await selected.textContent())?.includes('bank.example'); step++)
      await keyboard.press('.')
    await expect(selected).toContainText('POST bank.example/charge')
    await keyboard.press('e')
    await expect(selected).toContainText('POST /api/pay')
    await keyboard.press('z')
    await expect(row(page, 'SELECT * FROM item WHERE id = 3')).toBeVisible()
    await keyboard.press('r')
    await expect(row(page, 'Main thread blocked')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Leave the subtree' })).toBeVisible()
    await keyboard.press('Escape')
    await keyboard.press('Escape')
    await expect(row(page, 'Main thread blocked')).toBeVisible()
    expect(await names(page)).toContain('POST bank.example/charge')
    await page.getByTitle('Show this span (b)').click()
    const longest = (await selected.textContent()) ?? ''
    await keyboard.press('e')
    await expect(selected).not.toHaveText(longest)
    await keyboard.press('b')
    await expect(selected).toHaveText(longest)
    await keyboard.press('p')
    await expect(page.getByRole('button', { name: 'Only the path' })).toHaveAttribute('aria-pressed', 'true')
    await keyboard.press('p')
    await keyboard.press('3')
    await expect(page.getByRole('table', { name: 'Operations of this trace' })).toBeVisible()
    await keyboard.press('1')
  })

  test('opens its errors by itself, but on a phone only when they are asked for', async ({ page, program }) => {
    const traceId = await sendTrace(program)
    const event = {
      ...{
        event_id: newId(),
        timestamp: START_S,
        platform: 'node',
        exception: { values: [{ type: 'E', value: 'x' }] },
      },
      contexts: { trace: { trace_id: traceId, span_id: newId().slice(0, 16) } },
    }
    await program.send(
      [{ event_id: event.event_id }, { type: 'event' }, event].map((one) => JSON.stringify(one)).join('\n'),
    )
    const panel = page.getByRole('complementary', { name: 'Detail' })
    await page.goto(`/traces/${traceId}`)
    await expect(page.getByTitle('Show the errors')).toBeVisible()
    await page.reload()
    await expect(panel.getByRole('tab', { name: /^Errors/ })).toHaveAttribute('aria-selected', 'true')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`/traces/${traceId}`)
    await expect(row(page, 'POST bank.example/charge')).toBeVisible()
    await expect(panel).toHaveCount(0)
    await page.getByTitle('Show the errors').click()
    await expect(panel).toBeVisible()
    await panel.getByRole('button', { name: 'Close' }).click()
    await expect(panel).toHaveCount(0)
  })

  test('copies a span as a checked assertion, and acts on its values', async ({ page, context, program }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await page.goto(`/traces/${await sendTrace(program)}`)
    await row(page, 'POST /api/pay').first().click()
    const copies = page.getByRole('region', { name: 'Copy as' })
    await expect(copies).toContainText(`expect(trace).toHaveSpanTree('pageload "/pay" >> http.client "POST /api/pay"')`)
    await page.keyboard.press('Y')
    await expect.poll(copied).toContain('## POST /api/pay')
    await page.keyboard.press('y')
    await expect.poll(copied).toBe(page.url())

    const status = page.getByRole('row').filter({ hasText: 'http.response.status_code' })
    await status.hover()
    await status.getByRole('button', { name: 'Add to the assertion' }).click()
    await copies.getByRole('button', { name: 'Assertion' }).click()
    await expect(copies).toContainText('[http.response.status_code=500]')
    await page.keyboard.press('t')
    await expect.poll(copied).toContain('POST /api/pay"[http.response.status_code=500]')
    expect(await axeFindings(page)).toEqual([])

    await status.getByRole('button', { name: 'Only this http' }).click()
    await expect(page.getByRole('searchbox', { name: 'Find in this trace' })).toHaveValue('http:500')
    await expect(row(page, 'Main thread blocked')).toHaveCount(0)
    await page.getByRole('button', { name: 'Without this op' }).click()
    await expect(row(page, 'POST /api/pay')).toHaveCount(0)
    await page.goBack()
    await expect(row(page, 'POST /api/pay').first()).toBeVisible()
  })

  test('has further views with the same selection, without findings and within 360 px', async ({ page, program }) => {
    test.setTimeout(120_000)
    const address = `/traces/${await sendTrace(program)}`
    const shows: Readonly<Record<string, string>> = {
      flame: 'Where the 1.00 s went',
      operations: 'SELECT * FROM item WHERE id = ?',
      events: 'No',
      map: '2 services',
      json: '"traceId"',
    }
    const found: string[] = []
    for (const [view, text] of Object.entries(shows)) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(`${address}?view=${view}&show=none`)
      const content = page.getByRole('main')
      if (view === 'json')
        await expect(content.getByRole('textbox', { name: 'JSON of the trace' })).toHaveValue(/traceId/)
      else await expect(content).toContainText(text)
      found.push(...(await axeFindings(page)).map((finding) => `${view}: ${finding}`))
      await page.setViewportSize({ width: 360, height: 800 })
      const beyond = await overflow(page)
      if (beyond !== null) found.push(`${view}: ${beyond}`)
    }
    expect(found).toEqual([])
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${address}?view=operations&show=none`)
    await page.getByRole('button', { name: /bank\.example/ }).click()
    await expect(page.getByRole('complementary', { name: 'Detail' })).toContainText('POST bank.example/charge')
    await page.getByRole('link', { name: 'Waterfall' }).click()
    await expect(page.locator('tr[aria-selected="true"]')).toContainText('POST bank.example/charge')
  })
})
