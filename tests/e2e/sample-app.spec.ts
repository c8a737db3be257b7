import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from '@playwright/test'
import { validateXML } from 'xmllint-wasm'
import { anyFreePort } from '../../collector/launch/ports'
import { installInto, packOnce, ROOT } from '../flow/packed'

/** For a build and several test runs on a loaded machine. */
const TIMEOUT_MS = 480_000
test.describe.configure({ mode: 'serial', timeout: TIMEOUT_MS })

let folder = ''

/** The project is inside the tree, where Next finds the npm packages. Only our package is installed in the project. */
test.beforeAll(() => {
  test.setTimeout(TIMEOUT_MS)
  mkdirSync(join(ROOT, '.build'), { recursive: true })
  folder = mkdtempSync(join(ROOT, '.build', 'sample-app-'))
  cpSync(join(ROOT, 'tests/fixtures/sample-app'), folder, { recursive: true })
  installInto(folder, packOnce(folder))
})
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a command in the project, with only these settings. */
async function run(
  args: readonly string[],
  given: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { PATH = '', HOME, TMPDIR, WAYSTATION_CHROMIUM } = process.env
  const bin = [join(folder, 'node_modules/.bin'), join(ROOT, 'node_modules/.bin'), PATH].join(':')
  const port = await anyFreePort(['127.0.0.1'])
  const child = spawn(args[0] ?? '', args.slice(1), {
    cwd: folder,
    env: {
      ...{
        PATH: bin,
        HOME,
        TMPDIR,
        NODE_ENV: 'production',
        NEXT_TELEMETRY_DISABLED: '1',
        WAYSTATION_UPSTREAM: 'stand-in',
        PORT: String(port),
        FORCE_COLOR: '0',
      },
      ...(WAYSTATION_CHROMIUM !== undefined && { CHROMIUM: WAYSTATION_CHROMIUM }),
      ...given,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { code, output: stripVTControlCharacters(output) }
}

test('server code is tested with Vitest', async () => {
  const { code, output } = await run(['vitest', 'run'])
  expect(code, output).toBe(0)
  expect(output).toMatch(/Tests\s+2 passed/)
})

test('a Next app is built with the tunnel of the package', async () => {
  const { code, output } = await run(['next', 'build'])
  expect(code, output).toBe(0)
})

test('pages are tested with Playwright, and their telemetry is checked and reported', async () => {
  const args = ['waystation', 'run', '--junit', 'telemetry.xml', '--', 'playwright', 'test', 'shop', 'cart', 'declined']
  const { code, output } = await run(args)
  expect(code, output).toBe(0)
  expect(output).toContain('4 passed')
  // That test reads the body of the post.
  expect(output).toContain('a page filters the message of an error before it sends it')
  expect(output).toContain('✓ Telemetry check passed')
  // Two tests cause an error that the configuration of the project allows.
  expect(output).toContain('2 known failures not counted (baseline or allowlist)')
  const xml = readFileSync(join(folder, 'telemetry.xml'), 'utf8')
  const schema = readFileSync(join(ROOT, 'tests/fixtures/junit.xsd'), 'utf8')
  expect((await validateXML({ xml, schema: [schema] })).errors).toEqual([])
})

test('the page for visitors and their consent work in an app of its own', async () => {
  const { code, output } = await run(['waystation', 'run', '--no-check', '--', 'playwright', 'test', 'visitor'])
  expect(code, output).toBe(0)
  expect(output).toContain('1 passed')
})

/** Runs of the built app, each with a new server and collector, that must match one golden file. */
const GOLDEN_RUNS = Number(process.env.WAYSTATION_E2E_GOLDEN_RUNS ?? 1)
const GOLDEN_RUN_MS = 60_000

test('page loads of new servers match one golden file, which is updated as snapshots are', async () => {
  test.setTimeout(TIMEOUT_MS + GOLDEN_RUNS * GOLDEN_RUN_MS)
  const file = join(folder, 'e2e/__traces__/shop.trace.txt')
  const text = readFileSync(file, 'utf8')
  const command = ['waystation', 'run', '--no-check', '--', 'playwright', 'test', 'golden']
  for (let index = 0; index < GOLDEN_RUNS; index += 1) {
    const { code, output } = await run(command, { CI: 'true' })
    expect(code, `run ${index + 1} of ${GOLDEN_RUNS}: ${output}`).toBe(0)
  }
  const span = 'cart.total add up the cart'
  writeFileSync(file, text.replace(span, `${span} ×2..3\n          gone`))
  const different = await run(command)
  expect(different.code, different.output).toBe(1)
  expect(different.output).toContain(`-           ${span} ×2..3`)
  writeFileSync(file, text.replace(span, `? ${span} ×1..3\n          gone`))
  const updated = await run([...command, '--update-snapshots'])
  expect(updated.code, updated.output).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(text.replace(span, `? ${span} ×1..3`))
  rmSync(file)
  const missing = await run(command, { CI: 'true' })
  expect(missing.code, missing.output).toBe(1)
  expect(missing.output).toContain('e2e/__traces__/shop.trace.txt does not exist')
  const written = await run(command)
  expect(written.code, written.output).toBe(1)
  expect(written.output).toContain('e2e/__traces__/shop.trace.txt did not exist and was written')
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a run is learned, and a later run of the same command is compared with it', async () => {
  const command = ['--', 'playwright', 'test', 'shop', 'cart']
  const learned = await run(['waystation', 'run', '--learn', ...command])
  expect(learned.code, learned.output).toBe(0)
  expect(learned.output).toContain('waystation.profile.json has learned a green run.')
  const compared = await run(['waystation', 'run', '--report', 'telemetry.json', ...command])
  expect(compared.code, compared.output).toBe(0)
  const { judged } = JSON.parse(readFileSync(join(folder, 'telemetry.json'), 'utf8')) as {
    readonly judged: readonly { readonly id: string; readonly verdict: object }[]
  }
  expect(judged.find(({ id }) => id === 'profile')?.verdict).toMatchObject({ verdict: 'pass' })
  rmSync(join(folder, 'waystation.profile.json'))
})

test('a page with a page header obeys a rate limit', async () => {
  const args = ['waystation', 'run', '--rules', 'rate-limit-back-off', '--', 'playwright', 'test', 'limit']
  const { code, output } = await run(args)
  expect(code, output).toBe(0)
  expect(output).toContain('1 passed')
  expect(output).toContain('✓ Telemetry check passed: 1 of 1 check')
})

test('an unexpected error fails the test whose page sent it', async () => {
  const red = `
    import { expect, test } from 'waystation/playwright'
    test('pays', async ({ page }) => {
      await page.goto('/')
      await expect(page.getByText('Total: 42')).toBeVisible()
      await page.getByRole('button', { name: 'Pay' }).click()
    })`
  writeFileSync(join(folder, 'e2e/red.spec.ts'), red)
  const { code, output } = await run(['waystation', 'run', '--no-check', '--', 'playwright', 'test', 'red'])
  expect(code, output).toBe(1)
  expect(output).toContain('the card was declined')
  expect(output).toContain('1 failed')
})

test('a server error fails the test that sent the request, by an image or without a page', async () => {
  const red = `
    import { expect, test } from 'waystation/playwright'
    test('loads an image', async ({ page }) => {
      await page.goto('/')
      await page.evaluate(() => Object.assign(new Image(), { src: '/api/picture' }).decode().catch(() => undefined))
    })
    test('requests the image', async ({ page }) => {
      expect((await page.request.get('/api/picture')).status()).toBe(500)
    })
    test('requests the cart', async ({ page }) => {
      expect((await page.request.get('/api/cart')).status()).toBe(200)
    })`
  writeFileSync(join(folder, 'e2e/requests.spec.ts'), red)
  const { code, output } = await run(['waystation', 'run', '--no-check', '--', 'playwright', 'test', 'requests'])
  expect(code, output).toBe(1)
  expect(output).toContain('the picture cannot be drawn')
  expect(output).toContain('2 failed')
  expect(output).toContain('1 passed')
})

test('tests without a collector fail with advice', async () => {
  const { code, output } = await run(['playwright', 'test', 'red'])
  expect(code, output).toBe(1)
  expect(output).toContain('run the tests as: waystation run -- npx playwright test')
})
