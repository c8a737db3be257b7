import type { BrowserContext, Page } from '@playwright/test'
import { expect, leave, test } from './station'

// The collector is its own upstream; the lab causes the errors.
test.use({ env: { WAYSTATION_UPSTREAM: 'stand-in' }, unexpectedErrors: 'ignore' })
test.describe.configure({ timeout: 180_000 })

/** As a person does it, on the board. */
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

/** An error, and a segment around it: the trace of both. */
async function causeError(page: Page, before: string | null = null): Promise<string> {
  const trace = page.getByTestId('lab-handled-error-trace')
  await page.getByTestId('lab-handled-error').click()
  if (before !== null) await expect(trace).not.toHaveText(before)
  return trace.innerText()
}

/**
 * A page is refused, told and silent within that time. Streamed, spans are gathered for 5 s before they are sent, so that
 * it takes longer.
 */
const LIMITED = {
  static: { category: 'transaction', seconds: 15 },
  stream: { category: 'span', seconds: 20 },
} as const

test('a limited page stops sending that category and goes on with errors, its report arrives, and the boards show all of it', async ({
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
  await expect.poll(async () => (await telemetry.losses()).pending).toBe(0)

  await limitOnTheBoard(context, category, seconds)
  const refused = await causeError(page)
  await expect.poll(limited, { timeout: 20_000, intervals: [50] }).toContain(category)
  // The answer to the next envelope tells it; an error is let through all the same.
  const telling = await causeError(page, refused)
  const told = async () => (await telemetry.limits()).pages.filter((one) => one.category === category)
  await expect.poll(async () => (await told()).length, { intervals: [50] }).toBeGreaterThan(0)
  const silent = await causeError(page, telling)
  await telemetry.waitFor.error({ traceId: silent })
  expect(await limited()).toContain(category)

  await expect.poll(limited, { timeout: (seconds + 15) * 1000 }).not.toContain(category)
  // Whole seconds are told, rounded up: the page may be silent for a moment longer, and then sends that category again.
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

test('what is wrong with delivery is said on every page, and goes with its cause', async ({
  page,
  station,
  telemetry,
}) => {
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
    await expect(page.locator('[data-line="dead_letters"]')).toContainText('1 envelope was refused')
    await expect(page.locator('[data-line="script"]')).toContainText('403')
  }
  // On a board that follows the stream the line goes as soon as the script does.
  await page.goto('/stand-in')
  await page.getByRole('button', { name: 'Off' }).click()
  await expect(page.locator('[data-preset="off"]')).toHaveAttribute('data-active', 'true')
  await expect(page.locator('[data-line="script"]')).toHaveCount(0)
})
