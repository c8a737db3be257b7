import { BOARD_PAGES } from '../../lib/wire/pages'
import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
import { axeFindings, overflow, smallText } from './page-quality'
import { post } from './program'
import { expect, type Page, type Station, test } from './station'

const WIDTHS = [360, 390, 720, 1180, 1440, 2560] as const
/** The width at which axe runs a second time. */
const NARROW = 390
/** Right-to-left override, a zero-width space and a bell: a terminal or a browser would act on them. */
const DISGUISED = 'photo\u202egnp.exe\u200b\u0007'
const SHOWN = 'photo⟨U+202E⟩gnp.exe⟨U+200B⟩␇'
const DISGUISING = ['\u202e', '\u200b', '\u0007']
const SCRIPT_LINK = 'javascript:alert(1)'

/** Sends one envelope of each kind that the boards show, and returns the address of every page. */
async function recordedPages(station: Station): Promise<readonly string[]> {
  const { localDsn } = station.running
  const error = errorEnvelope(localDsn, { message: `${DISGUISED} ${SCRIPT_LINK}`, breadcrumbs: 3 })
  const pageLoad = transactionEnvelope(localDsn, { name: DISGUISED, traceId: error.traceId, children: 4 })
  const failed = transactionEnvelope(localDsn).body.replace('"status":"ok"', '"status":"internal_error"')
  const log = (body: string) => ({
    timestamp: Date.now() / 1000,
    trace_id: error.traceId,
    level: 'warn',
    body,
    attributes: { address: { value: SCRIPT_LINK, type: 'string' } },
  })
  const logs = {
    type: 'log',
    item_count: 2,
    content_type: 'application/vnd.sentry.items.log+json',
  }
  const report = {
    discarded_events: [
      { reason: 'sample_rate', category: 'transaction', quantity: 3 },
      { reason: 'queue_overflow', category: 'span', quantity: 2 },
    ],
  }
  const bodies = [
    error.body,
    failed,
    pageLoad.body,
    envelope(logs, { items: [log(DISGUISED), log('card declined')] }),
    envelope({ type: 'client_report' }, report),
  ]
  for (const body of bodies) expect(await post(station, body)).toBe(200)
  await expect.poll(async () => (await station.collector.trace(error.traceId))?.errors.length).toBe(1)
  const [group] = (await station.collector.errors()).groups
  const [newest] = (await station.collector.envelopes()).envelopes
  const parameters: Readonly<Record<string, string | number | undefined>> = {
    '/traces/:id': error.traceId,
    '/errors/:id': group?.hash,
    '/events/:id': error.eventId,
    '/envelopes/:id': newest?.seq,
  }
  return BOARD_PAGES.map(({ path }) => path.replace(':id', String(parameters[path])))
}

const envelope = (...lines: readonly object[]): string =>
  [{ sdk: { name: 'sentry.javascript.node', version: '11.8.0' } }, ...lines]
    .map((line) => JSON.stringify(line))
    .join('\n')

/** Opens a page and waits for its data. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Status' })).toContainText('Connected')
}

test('axe finds nothing; every page fits 360 to 2560 px, stands still, and shows received text as text', async ({
  page,
  station,
}) => {
  test.setTimeout(600_000)
  const found: string[] = []
  for (const path of await recordedPages(station)) {
    const note = (problem: string): number => found.push(`${path}: ${problem}`)
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await open(page, path)
    const { text, links, moving } = await page.evaluate(() => ({
      text: [
        document.body.innerText,
        ...[...document.querySelectorAll('[title], [aria-label]')].flatMap(({ attributes }) =>
          [attributes.getNamedItem('title'), attributes.getNamedItem('aria-label')].map((one) => one?.value),
        ),
      ].join('\n'),
      links: [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].map(({ protocol }) => protocol),
      moving: document.getAnimations().length,
    }))
    if (DISGUISING.some((character) => text.includes(character))) note('shows a disguising character')
    for (const protocol of links) if (!/^https?:$/.test(protocol)) note(`links to ${protocol}`)
    if (moving > 0) note(`${moving} animations run`)
    for (const element of await smallText(page)) note(`text below 11 px: ${element}`)
    for (const finding of await axeFindings(page)) note(`light: ${finding}`)
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const finding of await axeFindings(page, { only: ['color-contrast', 'link-in-text-block'] }))
      note(`dark: ${finding}`)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      const beyond = await overflow(page)
      if (beyond !== null) note(`at ${width} px: ${beyond}`)
      if (width === NARROW) for (const finding of await axeFindings(page)) note(`dark, ${width} px: ${finding}`)
    }
  }
  expect(found).toEqual([])
  for (const path of ['/traces', '/events', '/logs']) {
    await page.goto(path)
    await expect(page.getByRole('row').filter({ hasText: SHOWN }).first()).toBeVisible()
  }
})

test('the keyboard alone reaches boards, rows, search, help and the fold of the navigation', async ({
  page,
  station,
}) => {
  await recordedPages(station)
  const heading = (name: string) => page.getByRole('heading', { level: 1, name })
  const { keyboard } = page
  await open(page, '/limits')
  await keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await keyboard.press('Enter')
  await expect(page.locator('#content')).toBeFocused()

  await keyboard.press('g')
  await keyboard.press('t')
  await expect(heading('Traces')).toBeVisible()
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  await keyboard.press('j')
  await expect(page.locator('[data-row-link]:focus')).toHaveCount(1)
  await keyboard.press('Enter')
  await expect(page.getByRole('treegrid')).toBeVisible()
  await keyboard.press('j')
  await keyboard.press('Enter')
  await expect(page.getByRole('complementary')).toBeVisible()
  await keyboard.press('Escape')
  await expect(page.getByRole('complementary')).toHaveCount(0)

  const navigation = page.getByRole('navigation', { name: 'Pages' })
  const before = await navigation.getAttribute('data-folded')
  await keyboard.press('[')
  await expect(navigation).toHaveAttribute('data-folded', before === 'true' ? 'false' : 'true')

  await keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  expect(await axeFindings(page)).toEqual([])
  await keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Search or jump to' })).toBeFocused()
  expect(await axeFindings(page)).toEqual([])
  await keyboard.type('storage')
  await expect(page.getByRole('option', { name: 'Storage' }).first()).toHaveAttribute('aria-selected', 'true')
  await keyboard.press('Enter')
  await expect(heading('Storage')).toBeVisible()
})
