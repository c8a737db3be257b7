import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { endCollectors, temporaryFolder } from './collector-process'

afterEach(endCollectors)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const KIT = join(ROOT, 'lib/kit/vitest/index.ts')
const SDK = createRequire(import.meta.url).resolve('@sentry/node')

/** A project with one test, whose trace has as many queries as the variable QUERIES says. */
function project(): string {
  const folder = temporaryFolder()
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(folder, 'cart.test.ts'),
    `import { createRequire } from 'node:module'
    import { afterAll, beforeAll, expect, it } from 'vitest'
    import { stampHeaders, startCollector } from ${JSON.stringify(KIT)}
    const Sentry = createRequire(import.meta.url)(${JSON.stringify(SDK)})
    let collector, recording
    beforeAll(async () => {
      collector = await startCollector()
      recording = await collector.recording()
      const transportOptions = { headers: stampHeaders(recording.stamp) }
      Sentry.init({ dsn: collector.dsn, tracesSampleRate: 1, traceLifecycle: 'static', transportOptions })
    })
    afterAll(async () => {
      await Sentry.close()
      await collector.stop()
    })
    it('charges', async () => {
      const charged = recording.waitFor.transaction({ op: 'task' })
      Sentry.startSpan({ name: 'charge order ' + process.pid, op: 'task' }, () => {
        for (let id = 1; id <= Number(process.env.QUERIES); id++)
          Sentry.startSpan({ name: 'SELECT ' + id, op: 'db', attributes: { 'db.system.name': 'sqlite' } }, () => undefined)
      })
      await Sentry.flush()
      expect(await recording.trace(await charged)).toMatchTrace('charge')
    })`,
  )
  return folder
}

/** Runs Vitest in the project as a person does, with these variables. The runs in one folder compile the kit once. */
async function runVitest(folder: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { PATH, HOME, TMPDIR, WAYSTATION_BUILD } = process.env
  const compiled = ['--experimental.fsModuleCache', '--experimental.fsModuleCachePath', join(folder, 'compiled')]
  const child = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, ...compiled, ...args],
    {
      cwd: folder,
      env: { PATH, HOME, TMPDIR, WAYSTATION_BUILD, NODE_ENV: 'test', NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const [code] = await once(child, 'close')
  return { code, output }
}

/** Up to four runs of Vitest, each with a collector. */
const TIMEOUT_MS = 180_000

it('keeps a file for each project of Vitest', { timeout: TIMEOUT_MS }, async () => {
  const folder = project()
  const projects = ['shop one', 'two'].map((name, at) => ({
    test: { name, include: ['cart.test.ts'], env: { QUERIES: String(at + 1) } },
  }))
  writeFileSync(join(folder, 'vitest.config.js'), `export default { test: ${JSON.stringify({ projects })} }`)
  expect(await runVitest(folder, [], {})).toMatchObject({ code: 0 })
  const fileOf = (name: string): string => readFileSync(join(folder, `__traces__/${name}/charge.trace.txt`), 'utf8')
  expect([fileOf('shop-one'), fileOf('two')].map((text) => text.includes('×2'))).toEqual([false, true])
  expect(await runVitest(folder, [], { CI: 'true' })).toMatchObject({ code: 0 })
})

const pathOf = (folder: string): string => join(folder, '__traces__/charge.trace.txt')
const text = (count: string): string =>
  `lifecycle: static\ntask charge order * [service=server]\n  db SELECT * [db=sqlite]${count}\n`

it('writes and compares a file by the modes of the installed Vitest', { timeout: TIMEOUT_MS }, async () => {
  const folder = project()
  const path = pathOf(folder)
  const missing = await runVitest(folder, [], { QUERIES: '2', CI: 'true' })
  expect(missing.code).toBe(1)
  expect(missing.output).toContain(
    '__traces__/charge.trace.txt does not exist\nwrite it with npx vitest -u, and commit it',
  )
  expect(await runVitest(folder, [], { QUERIES: '2' })).toMatchObject({ code: 0 })
  expect(readFileSync(path, 'utf8')).toBe(text(' ×2'))
  expect(await runVitest(folder, [], { QUERIES: '2', CI: 'true' })).toMatchObject({ code: 0 })
  const different = await runVitest(folder, [], { QUERIES: '3' })
  expect(different.code).toBe(1)
  expect(different.output).toContain('-   db SELECT * [db=sqlite] ×2\n+   db SELECT * [db=sqlite] ×3\n')
  expect(readFileSync(path, 'utf8')).toBe(text(' ×2'))
})

it('updates a file by the modes of the installed Vitest', { timeout: TIMEOUT_MS }, async () => {
  const folder = project()
  const path = pathOf(folder)
  mkdirSync(dirname(path))
  writeFileSync(path, text(' ×2'))
  expect(await runVitest(folder, ['-u'], { QUERIES: '3' })).toMatchObject({ code: 0 })
  expect(readFileSync(path, 'utf8')).toBe(text(' ×3'))
  writeFileSync(path, `${text(' ×1..4')}gone\n`)
  expect(await runVitest(folder, ['-u'], { QUERIES: '4' })).toMatchObject({ code: 0 })
  expect(readFileSync(path, 'utf8')).toBe(text(' ×1..4'))
  rmSync(path)
  expect(await runVitest(folder, ['-u'], { QUERIES: '1', CI: 'true' })).toMatchObject({ code: 0 })
  expect(readFileSync(path, 'utf8')).toBe(text(''))
})
