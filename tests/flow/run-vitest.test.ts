import { symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { endCollectors, temporaryFolder } from './collector-process'
import { startCommand } from './run-process'

afterEach(endCollectors)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const KIT = join(ROOT, 'lib/kit/vitest/index.ts')
const SDK = createRequire(import.meta.url).resolve('@sentry/node')

/** A project with one test file, which runs in `waystation run -- vitest run`. */
function runVitest(test: string, { options = '', env = {} } = {}) {
  const folder = temporaryFolder()
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(folder, 'a.test.ts'),
    `import { createRequire } from 'node:module'
    import { appendFileSync } from 'node:fs'
    import { afterAll, beforeAll, expect, it } from 'vitest'
    import { stampHeaders, startCollector } from ${JSON.stringify(KIT)}
    const Sentry = createRequire(import.meta.url)(${JSON.stringify(SDK)})
    let collector, recording
    beforeAll(async () => {
      collector = await startCollector(${options})
      recording = await collector.recording()
      Sentry.init({ dsn: collector.dsn, tracesSampleRate: 1, transportOptions: { headers: stampHeaders(recording.stamp) } })
    })
    afterAll(async () => {
      await Sentry.close()
      await collector.stop()
    })
    it('is a test', async () => {
      ${test}
      await Sentry.flush()
    })`,
  )
  const words = ['run', '--', process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder]
  const WAYSTATION_BUILD = process.env.WAYSTATION_BUILD ?? ''
  return startCommand(words, { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_BUILD, ...env }, undefined, folder).ended
}

const FAILS = `Sentry.captureException(new Error('declined'))`

describe('waystation run -- vitest run', () => {
  it('judges the tests of the kit by the collector of the run, without errors that a test allowed', async () => {
    const ended = await runVitest(`
      expect(collector.url).toBe(process.env.WAYSTATION_COLLECTOR_URL)
      expect(collector.pid).toBe(null)
      recording.allow('declined')
      const failure = recording.waitFor.error({ title: /declined/ })
      ${FAILS}
      await failure`)
    expect(ended).toMatchObject({ code: 0, err: expect.stringMatching(/Waystation recorded \d+ envelopes?/) })
    expect(ended.err).toContain('the test with the stamp test-')
  })

  it('judges errors that no test allowed, and names malformed reports of tests', async () => {
    const ended = await runVitest(`
      appendFileSync(process.env.WAYSTATION_RUN_FOLDER + '/from-tests.jsonl', 'no json\\n')
      ${FAILS}`)
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('Error: declined') })
    expect(ended.err).toMatch(/from-tests\.jsonl,\s+line 1 cannot be read: expected a JSON object of kind /)
  })

  it('does not judge a collector with variables of its own', async () => {
    const own = await runVitest(FAILS, { options: '{ env: {} }' })
    expect(own).toMatchObject({ code: 3, err: expect.stringContaining('Waystation recorded nothing') })
  })

  it('joins for a stand-in upstream only if the run has one', async () => {
    const asks = { options: "{ upstream: 'stand-in' }" }
    const joins = `expect(collector.pid).toBe(null); Sentry.startSpan({ name: 'work' }, () => undefined)`
    expect(await runVitest(joins, { ...asks, env: { WAYSTATION_UPSTREAM: 'stand-in' } })).toMatchObject({ code: 0 })
    expect(await runVitest('expect(collector.pid).not.toBe(null)', asks)).toMatchObject({ code: 3 })
  })
})
