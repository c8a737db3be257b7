import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transactionEnvelope } from '../flow/envelopes'
import { axeFindings, smallText } from './page-quality'
import { post } from './program'
import { answerOf, expect, type Page, test } from './station'

const THEMES = ['light', 'dark'] as const
const SURFACES = ['paper', 'surface', 'sunken', 'raised', 'overlay', 'select']
const TEXTS = ['ink', 'ink-soft', 'ink-faint', 'accent', 'ok', 'warn', 'bad', 'value']
const SHAPES = [
  ...['ok-fill', 'warn-fill', 'bad-fill', 'line-strong'],
  ...[1, 2, 3, 4, 5, 6].map((number) => `series-${number}`),
]

/** The colours of `tokens.css`, by name. */
const colourTokens = (): readonly string[] => {
  const css = readFileSync(join(import.meta.dirname, '../../dashboards/ui/tokens.css'), 'utf8')
  return [...css.matchAll(/^ {2}--([\w-]+): light-dark\(#/gm)].map(([, name = '']) => name)
}

/** Red, green and blue of each token as the page draws it. */
async function drawnTokens(page: Page): Promise<ReadonlyMap<string, readonly number[]>> {
  const drawn = await page
    .locator('[data-token]')
    .evaluateAll((swatches) =>
      swatches.map((one) => [one.getAttribute('data-token') ?? '', getComputedStyle(one).backgroundColor] as const),
    )
  return new Map(drawn.map(([name, colour]) => [name, (colour.match(/[\d.]+/g) ?? []).map(Number)]))
}

/** As WCAG 2.2 defines it. */
function luminance(colour: readonly number[] | undefined): number {
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = (colour ?? []).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: readonly number[] | undefined, other: readonly number[] | undefined): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return ((light ?? Number.NaN) + 0.05) / ((dark ?? Number.NaN) + 0.05)
}

test('the page of components shows each token, with enough contrast in both themes', async ({ page }, info) => {
  await page.setViewportSize({ width: 1440, height: 2200 })
  await page.goto('/lab/components')
  await expect(page.getByRole('heading', { level: 1, name: 'Components' })).toBeVisible()
  await expect(page.locator('[data-status-sample="full"]')).toContainText('Connected')
  const low: string[] = []
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme })
    const drawn = await drawnTokens(page)
    expect(colourTokens().filter((name) => !drawn.has(name))).toEqual([])
    const demand = (names: readonly string[], grounds: readonly string[], least: number): void => {
      for (const name of names)
        for (const ground of grounds) {
          const found = contrast(drawn.get(name), drawn.get(ground))
          // Also true for a colour that could not be read.
          if (!(found >= least)) low.push(`${colorScheme}: ${name} on ${ground} has ${found.toFixed(2)}, not ${least}`)
        }
    }
    demand(TEXTS, [...SURFACES, 'accent-wash', 'ok-wash', 'warn-wash', 'bad-wash'], 4.5)
    demand(['accent-ink'], ['accent'], 4.5)
    demand(SHAPES, SURFACES, 3)
    await page.screenshot({ path: info.outputPath(`components-${colorScheme}.png`) })
    // The page repeats the status line, which is a landmark.
    low.push(...(await axeFindings(page, { without: ['landmark-unique'] })))
  }
  expect(low).toEqual([])
  expect(await smallText(page)).toEqual([])
})

test('the page of components shows every glyph with its word, and controls in their states', async ({ page }) => {
  await page.goto('/lab/components')
  for (const glyph of await page.locator('[data-glyph]').all()) {
    await expect(glyph.locator('svg path')).toHaveAttribute('d', /^M/)
    await expect(glyph).toHaveText(/\w/)
  }
  await expect(page.locator('[data-glyph]')).not.toHaveCount(0)
  const controls = page.getByRole('region', { name: 'Controls' })
  await expect(controls.getByRole('button', { name: 'Newer' })).toBeDisabled()
  await expect(controls).toContainText('photo⟨U+202E⟩gnp.exe␇')
  await controls.getByRole('tab', { name: 'Facts' }).press('ArrowRight')
  await expect(controls.getByRole('tab', { name: 'Errors 2' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.locator('[data-connection]')).toHaveText([
    'connecting',
    'live',
    'not connected, retry now',
    'collector unreachable, retry now',
  ])
  for (const text of ['Paused: sentry.test/1', 'Backing off: sentry.test/2', 'Dead letters', 'Limited', 'Saved run'])
    await expect(page.getByRole('main').getByText(text).first()).toBeVisible()
  await expect(page.locator('[data-status-sample="unreachable"]')).toContainText('does not answer')
  await expect(page.locator('[data-status-sample="full"]')).toContainText('ledger balances')
  await expect(page.locator('[data-status-sample="unexplained"]')).toContainText('ledger: 2 unexplained of error')
  const hops = page.locator('[data-hop]')
  await expect(hops.locator('li:last-child')).toHaveText([/accepted/, /rate limited/, /invalid/, /pending/])
  await expect(hops.getByRole('region', { name: 'Delivery' })).toHaveCount(4)
  const delivery = page.getByRole('region', { name: 'Hop line and chips' })
  for (const text of ['×12', '×1,284', '+2', 'photo⟨U+202E⟩gnp']) await expect(delivery).toContainText(text)
})

test('a list is photographed while it loads, empty, with its end, and filtered to nothing', async ({
  page,
  station,
}, info) => {
  const photograph = async (name: string) => {
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: info.outputPath(`list-${name}-${colorScheme}.png`) })
    }
  }
  const answers = /\/collector\/query\/traces\?/
  await page.route(answers, () => new Promise(() => undefined))
  await page.goto('/traces')
  await expect(page.getByText('Loading', { exact: false }).first()).toBeVisible()
  await photograph('loading')
  await page.unroute(answers)
  await page.route(answers, (route) => route.fulfill(answerOf({ traces: [], next: null, journal: 0 })))
  await page.goto('/traces')
  await expect(page.locator('[data-empty]')).toBeVisible()
  await photograph('empty')
  await page.unroute(answers)
  expect(await post(station, transactionEnvelope(station.running.localDsn, { name: '/the/end' }).body)).toBe(200)
  await expect(page.getByRole('row').filter({ hasText: '/the/end' })).toBeVisible()
  await photograph('end')
  await page.keyboard.press('/')
  await page.keyboard.type('nosuchword ')
  await expect(page.locator('[data-no-match]')).toBeVisible()
  await photograph('filtered')
})
