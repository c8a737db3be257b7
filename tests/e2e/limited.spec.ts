import type { BrowserContext, Page } from '@playwright/test'
import { z } from 'zod'
import { type CollectorClient, collectorClient } from '../../lib/wire/collector-client'
import { type RecordingFront, startRecordingFront } from './recording-front'
import { type RunningWaystation, startWaystation } from './running'
import { discarded, expect, type Lifecycle, leave, test, tunnelled } from './station'

test.describe.configure({ timeout: 120_000 })

/** A collector that plays upstream itself, and a front that keeps what the browser posts. */
interface Scene {
  readonly running: RunningWaystation
  readonly front: RecordingFront
  readonly collector: CollectorClient
}

async function inScene(lifecycle: Lifecycle, play: (scene: Scene) => Promise<void>): Promise<void> {
  const running = await startWaystation({
    env: { WAYSTATION_UPSTREAM: 'stand-in', WAYSTATION_LIFECYCLE: lifecycle },
  })
  const front = await startRecordingFront(running.appUrl)
  try {
    await play({ running, front, collector: collectorClient(running.collectorUrl, fetch) })
  } finally {
    await front.close()
    await running.stop()
  }
}

/** As a person does it, on the board. */
async function limitOnTheBoard(context: BrowserContext, home: string, category: string, seconds: number) {
  const board = await context.newPage()
  await board.goto(`${home}/stand-in`)
  const form = board.getByRole('group', { name: 'Limit a category' })
  await form.getByLabel('Category').selectOption(category)
  await form.getByLabel('Seconds').fill(String(seconds))
  await form.getByRole('button', { name: 'Limit' }).click()
  await expect(board.locator('[data-playing="1"]')).toContainText(`${category} limited for ${seconds} s`)
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

/** The traces that a payload is of, and not those that it links to. */
function tracesOf(payload: unknown): readonly string[] {
  const { contexts, items = [] } = PAYLOAD.parse(payload)
  return [...items.map((span) => span.trace_id), ...(contexts === undefined ? [] : [contexts.trace.trace_id])]
}

const OF_TRACE = z.object({ trace_id: z.string() })
const PAYLOAD = z.object({ contexts: z.object({ trace: OF_TRACE }).optional(), items: z.array(OF_TRACE).optional() })

/** Streamed, spans are gathered for 5 s before they are sent: they cannot be told and silent within that time. */
const LIMITED = {
  static: { category: 'transaction', type: 'transaction', seconds: 5 },
  stream: { category: 'span', type: 'span', seconds: 20 },
} as const

test('a limited page stops sending that category and goes on with errors, its report arrives, and the boards show all of it', async ({
  page,
  context,
  lifecycle,
}) => {
  const { category, type, seconds } = LIMITED[lifecycle]
  await inScene(lifecycle, async (scene) => {
    const { front, collector } = scene
    const isIn = (wanted: string, traceId: string): boolean =>
      tunnelled(scene, wanted).some((payload) => tracesOf(payload).includes(traceId))
    await page.goto(`${front.url}/lab`)
    await expect.poll(() => tunnelled(scene, type).length, { timeout: 20_000 }).toBeGreaterThan(0)
    await expect.poll(async () => (await collector.storage()).owed.records).toBe(0)

    await limitOnTheBoard(context, front.url, category, seconds)
    const refused = await causeError(page)
    const limited = async () => (await collector.limits()).limits.map((limit) => limit.category)
    await expect.poll(limited, { timeout: 20_000, intervals: [50] }).toContain(category)
    // The answer to the next envelope tells it; an error is let through all the same.
    const telling = await causeError(page, refused)
    const told = async () => (await collector.limits()).pages.filter((one) => one.category === category)
    await expect.poll(async () => (await told()).length, { intervals: [50] }).toBeGreaterThan(0)
    const silent = await causeError(page, telling)
    await expect.poll(() => isIn('event', silent), { intervals: [50] }).toBe(true)
    expect(await limited()).toContain(category)

    await expect.poll(limited, { timeout: (seconds + 15) * 1000 }).not.toContain(category)
    // Whole seconds are told, rounded up: the page may be silent for a moment longer, and then sends that category again.
    const afterwards: string[] = []
    const sendsAgain = async (): Promise<boolean> => {
      afterwards.push(await causeError(page, afterwards.at(-1) ?? silent))
      return afterwards.some((traceId) => isIn(type, traceId))
    }
    await expect.poll(sendsAgain, { timeout: 30_000, intervals: [1000] }).toBe(true)
    expect([isIn(type, refused), isIn(type, silent)]).toEqual([true, false])
    await leave(page)

    await expect.poll(() => discarded(scene).get(`ratelimit_backoff ${category}`) ?? 0).toBeGreaterThan(0)
    const quantity = discarded(scene).get(`ratelimit_backoff ${category}`)
    const losses = async () => {
      const { pending, unexplained, losses: lost } = await collector.losses()
      const own = lost.find(
        (one) => one.by === 'sdk' && one.reason === 'ratelimit_backoff' && one.category === category,
      )
      return { pending, unexplained, discarded: own?.quantity }
    }
    await expect.poll(losses, { timeout: 20_000 }).toEqual({ pending: 0, unexplained: 0, discarded: quantity })

    await page.goto(`${front.url}/limits`)
    const ended = page.locator(`[data-ended="${category}"]`)
    await expect(ended).toContainText('stand in')
    await expect(page.locator(`[data-told-page][data-verdict="obeyed"]`).filter({ hasText: category })).not.toHaveCount(
      0,
    )
    await expect(page.locator('[data-verdict="broke"]')).toHaveCount(0)
    await page.goto(`${front.url}/losses`)
    await expect(page.getByText('ratelimit_backoff').first()).toBeVisible()
    const toldBy = (await collector.limits()).ended.find((limit) => limit.category === category)?.toldBy
    await page.goto(`${front.url}/envelopes/${toldBy}`)
    await expect(page.getByText('rate limited').first()).toBeVisible()
    await expect(page.getByText(`${seconds}:${category}:organization:stand_in`).first()).toBeVisible()
  })
})

test('what is wrong with delivery is said on every page, and goes with its cause', async ({ page, lifecycle }) => {
  await inScene(lifecycle, async ({ front, collector }) => {
    await collector.play({ answers: [{ categories: ['error'], status: 413, body: 'too much of it', times: 1 }] })
    await page.goto(`${front.url}/lab`)
    await causeError(page)
    const standing = async () => (await collector.standing()).upstreams[0]
    await expect.poll(async () => (await standing())?.deadLetters, { timeout: 20_000 }).toBe(1)
    await collector.play({ answers: [{ categories: ['error'], status: 403, body: 'no such key here' }] })
    await causeError(page)
    await expect.poll(async () => (await standing())?.state, { timeout: 20_000 }).toBe('paused')
    for (const path of ['/', '/traces', '/limits', '/lab']) {
      await page.goto(front.url + path)
      await expect(page.locator('[data-line="paused"]')).toContainText('answered 403, “no such key here”')
      await expect(page.locator('[data-line="paused"]')).toContainText(/Nothing is lost: \d+ envelopes? waits?/)
      await expect(page.locator('[data-line="dead_letters"]')).toContainText('1 envelope was refused')
      await expect(page.locator('[data-line="script"]')).toContainText('403')
    }
    // On a board that follows the stream the line goes as soon as the script does.
    await page.goto(`${front.url}/stand-in`)
    await page.getByRole('button', { name: 'Stop all' }).click()
    await expect(page.getByText('Everything is answered 200.', { exact: true })).toBeVisible()
    await expect(page.locator('[data-line="script"]')).toHaveCount(0)
  })
})

test('a collector that does not play upstream says how to start one that does', async ({ page, home }) => {
  await page.goto(`${home}/stand-in`)
  await expect(page.locator('[data-stand-in="none"]')).toContainText('WAYSTATION_UPSTREAM=stand-in')
  await expect(page.getByRole('button')).toHaveCount(0)
})
