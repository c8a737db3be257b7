import type { BrowserContext, Page } from '@playwright/test'
import { expect, leave, test } from './station'

// The collector is its own upstream; the lab causes the errors.
test.use({ env: { WAYSTATION_UPSTREAM: 'stand-in' }, unexpectedErrors: 'ignore' })
test.describe.configure({ timeout: 180_000 })

/** Limits a category on the stand-in page, as a person does. */
async function limitOnTheBoard(context: BrowserContext, category: string, seconds: number) {
  const board = await context.newPage()
  await board.goto('/stand-in')
  await board.getByLabel('Category').selectOption(category)
  await board.getByLabel('Seconds').fill(String(seconds))
  await board.getByRole('button', { name: 'Limit a category' }).click()
  await expect(board.getByRole('button', { name: 'Limit a category' })).toHaveAttribute('aria-pressed', 'true')
  await expect(board.locator('[data-script]')).toContainText(`${category} limited for ${seconds} s`)
  await expect(board.locator('[data-line="script"]')).toContainText(`${category} limited for ${seconds} s`)
  await board.close()
}

/** Causes an error in a segment. @returns the trace id of both */
async function causeError(page: Page, before: string | null = null): Promise<string> {
  const trace = page.getByTestId('lab-handled-error-trace')
  await page.getByTestId('lab-handled-error').click()
  if (before !== null) await expect(trace).not.toHaveText(before)
  return trace.innerText()
}

/**
 * During the limit a page must be refused, receive the limit and drop one segment. The streamed lifecycle needs longer,
 * because the SDK buffers spans for 5 s.
 */
const LIMITED = {
  static: { category: 'transaction', seconds: 15 },
  stream: { category: 'span', seconds: 20 },
} as const

test('a page drops a limited category, still sends errors, and resumes after the limit; the boards show limit and losses', async ({
  page,
  context,
  lifecycle,
  telemetry,
}) => {
  const { category, seconds } = LIMITED[lifecycle]
  const isTraced = (traceId: string): boolean => telemetry.evidence().spans.some((span) => span.traceId === traceId)
  const limited = async () => (await telemetry.limits()).limits.map((limit) => limit.category)
  const pageload = telemetry.waitFor.transaction({ op: 'pageload' }, { timeout: 20_000 })
  await page.goto('/lab')
  await pageload
  await expect.poll(async () => (await telemetry.losses()).categories.filter(({ pending }) => pending > 0)).toEqual([])

  await limitOnTheBoard(context, category, seconds)
  const refused = await causeError(page)
  await expect.poll(limited, { timeout: 20_000, intervals: [50] }).toContain(category)
  // The answer to the next envelope contains the limit. Errors are not limited.
  const informed = page.waitForResponse(
    async (response) => (await response.headerValue('x-sentry-rate-limits'))?.includes(category) ?? false,
  )
  const reporting = await causeError(page, refused)
  await informed
  const silent = await causeError(page, reporting)
  await telemetry.waitFor.error({ traceId: silent })
  expect(await limited()).toContain(category)

  await expect.poll(limited, { timeout: (seconds + 15) * 1000 }).not.toContain(category)
  // The limit is sent in whole seconds, rounded up, so the page may resume a little later.
  const afterwards: string[] = []
  const sendsAgain = async (): Promise<boolean> => {
    afterwards.push(await causeError(page, afterwards.at(-1) ?? silent))
    return afterwards.some(isTraced)
  }
  await expect.poll(sendsAgain, { timeout: 30_000, intervals: [1000] }).toBe(true)
  await leave(page)
  const reason = 'ratelimit_backoff'
  await telemetry.waitFor.clientReport({ fields: { reason, category } })

  await page.goto('/limits')
  await expect(page.locator(`[data-ended="${category}"]`)).toContainText('stand in')
  await expect(page.locator(`[data-limit-lane="${category}"]`)).toBeVisible()
  const obeyed = page.locator('[data-page-limit][data-verdict="obeyed"]')
  await expect(obeyed.filter({ hasText: category })).not.toHaveCount(0)
  await expect(page.locator('[data-verdict="violated"]')).toHaveCount(0)
  await page.goto('/losses')
  await expect(page.getByText(reason).first()).toBeVisible()
  const { ended } = await telemetry.limits()
  await page.goto(`/envelopes/${ended.find((limit) => limit.category === category)?.sourceSeq}`)
  await expect(page.getByText('rate limited').first()).toBeVisible()
  await expect(page.getByText(`${seconds}:${category}:organization:stand_in`).first()).toBeVisible()

  await expect(telemetry).toBackOff(category)
  await expect(telemetry).toHaveNoLoss({ allow: [reason, 'upstream_429', 'limited', 'network_error'] })
  expect([isTraced(refused), isTraced(silent)]).toEqual([true, false])
  const reported = telemetry
    .evidence()
    .signals.filter(({ kind, fields }) => kind === 'client_report' && fields.reason === reason)
    .filter(({ fields }) => fields.category === category)
    .reduce((sum, { fields }) => sum + Number(fields.quantity), 0)
  expect((await telemetry.losses()).losses).toContainEqual({ by: 'sdk', reason, category, quantity: reported })
})

test('every page shows delivery problems until they are solved', async ({ page, station, telemetry }) => {
  const tooMuch = { categories: ['error'], status: 413, body: 'too much of it', times: 1 }
  await telemetry.upstream.play({ answers: [tooMuch] })
  await page.goto('/lab')
  const refused = await causeError(page)
  await expect.poll(async () => (await telemetry.losses()).deadLetters).toMatchObject([{ status: 413, quantity: 1 }])
  await telemetry.upstream.play({ answers: [{ categories: ['error'], status: 403, body: 'no such key here' }] })
  await causeError(page, refused)
  await expect.poll(async () => (await station.collector.status()).upstreams[0]?.state).toBe('paused')
  for (const path of ['/', '/traces', '/limits', '/lab']) {
    await page.goto(path)
    await expect(page.locator('[data-line="paused"]')).toContainText('answered 403, “no such key here”')
    await expect(page.locator('[data-line="paused"]')).toContainText(/Nothing is lost: \d+ envelopes? waits?/)
    await expect(page.locator('[data-line="dead_letters"]')).toContainText(
      '1 dead letter. Upstream refused this envelope',
    )
    await expect(page.locator('[data-line="script"]')).toContainText('403')
  }
  // A page with the live stream removes the line as soon as the script is removed.
  await page.goto('/stand-in')
  await page.getByRole('button', { name: 'Off' }).click()
  await expect(page.locator('[data-preset="off"]')).toHaveAttribute('data-active', 'true')
  await expect(page.locator('[data-line="script"]')).toHaveCount(0)
})
