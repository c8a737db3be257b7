import { errorEnvelope } from '../flow/envelopes'
import { node, startCommand } from '../flow/run-process'
import { expect, type Station, test } from './station'

/** Records a program that sends one error, in the data folder of the collector. */
async function record({ running }: Station, name: string): Promise<void> {
  const { body } = errorEnvelope('http://local@127.0.0.1:1/1', { message: name })
  const program = `fetch(process.env.WAYSTATION_COLLECTOR_URL + '/tunnel', { method: 'POST', body: ${JSON.stringify(body)} }).then(({ ok }) => process.exit(ok ? 0 : 1))`
  const words = ['run', '--no-check', '--name', name, ...node(program)]
  const { code, err } = await startCommand(words, { WAYSTATION_DATA: running.dataFolder }).ended
  expect(code, err).toBe(0)
}

test('runs are opened on boards of their own, pinned, named and deleted', async ({ page, station }) => {
  await page.goto('/runs')
  await expect(page.getByRole('heading', { name: 'No runs in this folder' })).toBeVisible()
  await record(station, 'first run')
  await record(station, 'second run')
  // The page reads the list again by itself.
  const rows = page.locator('tr[data-run]')
  await expect(rows).toHaveCount(2)
  const newest = rows.first()
  await expect(newest).toContainText('second run')
  await expect(newest).toContainText('not judged')

  await newest.getByRole('button', { name: 'Open' }).click()
  const [boards] = await Promise.all([
    page.waitForEvent('popup'),
    newest.getByRole('link', { name: /^Boards of this run/ }).click(),
  ])
  await expect(boards.getByRole('status').filter({ hasText: 'second run' })).toContainText('nothing can change')
  await boards.goto(new URL('/events', boards.url()).href)
  await expect(boards.getByText('Error: second run')).toBeVisible()
  await boards.close()
  await newest.getByRole('button', { name: 'Close' }).click()
  await expect(newest.getByRole('button', { name: 'Open' })).toBeVisible()

  await newest.getByRole('button', { name: 'Pin', exact: true }).click()
  await expect(newest).toContainText('pinned')
  await newest.getByRole('button', { name: 'Name', exact: true }).click()
  await expect(newest.getByRole('textbox', { name: 'Name of the run' })).toBeFocused()
  await page.keyboard.press('Escape')
  await newest.getByRole('button', { name: 'Name', exact: true }).click()
  await newest.getByRole('textbox', { name: 'Name of the run' }).fill('main')
  await page.keyboard.press('Enter')
  await expect(newest).toContainText('main')

  await newest.getByRole('button', { name: /^Delete/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete?' })
  await expect(dialog).toContainText('The run main with everything that it recorded')
  await expect(dialog.getByRole('button', { name: 'Keep it' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('first run')
})
