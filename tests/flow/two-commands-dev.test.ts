import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { developmentClone } from './fresh-clone'
import { announced, endStarted, familyOf, killEach, nothingLeft, npmStart, ROOT } from './npm-start'

const dist = `.build/dev-${process.pid}`

afterEach(endStarted)
afterAll(() => rmSync(join(ROOT, dist), { recursive: true, force: true }))

/** The processes of esbuild below this one. */
const bundlersOf = (pid: number): number[] =>
  familyOf(pid).filter((below) => readFileSync(`/proc/${below}/cmdline`, 'utf8').includes('--service='))

describe('npm run dev', () => {
  test('restarts the collector when its code changes, but not for other code', async () => {
    const clone = developmentClone()
    const dev = clone.start()
    await expect.poll(dev.output).toContain('Ctrl-C stops both.')
    // It starts after the block is printed.
    await expect.poll(() => bundlersOf(dev.pid)).toHaveLength(1)
    const before = familyOf(dev.pid)
    clone.write('collector/launch/run-build.ts', 'export const supervise = 1')
    clone.write('collector/word.ts', "export const word = 'two'")
    await expect.poll(dev.output).toContain('The collector was restarted.\n')
    expect(dev.output().match(/restarted|ended/g)).toEqual(['restarted'])
    // Exactly one process is new.
    expect(familyOf(dev.pid).filter((pid) => !before.includes(pid))).toHaveLength(1)
    dev.pressCtrlC()
    expect(await dev.exited).toEqual({ code: 0, signal: null })
    await nothingLeft(before, [])
  })

  test('reads .env files, and names a wrong value', async () => {
    const clone = developmentClone()
    clone.write('.env.development', 'WAYSTATION_LIFECYCLE=streamed')
    const dev = clone.start()
    expect((await dev.exited).code).toBe(2)
    expect(dev.output()).toBe('WAYSTATION_LIFECYCLE must be static or stream, got "streamed".\n')
  })

  test('prints the error of a change that cannot be bundled, and keeps the running collector', async () => {
    const clone = developmentClone()
    const dev = clone.start()
    await expect.poll(dev.output).toContain('Ctrl-C stops both.')
    clone.write('collector/word.ts', 'export const word = ')
    await expect.poll(dev.output).toContain('[ERROR] Unexpected end of file')
    clone.write('collector/word.ts', "export const word = 'three'")
    await expect.poll(dev.output).toContain('The collector was restarted.')
    expect(dev.output()).not.toContain('collector ended')
  })

  test('survives a change that breaks the collector, and restarts it after the next change', async () => {
    const clone = developmentClone()
    const dev = clone.start()
    await expect.poll(dev.output).toContain('Ctrl-C stops both.')
    clone.write('collector/word.ts', 'export const word = process.exit(7)')
    await expect.poll(dev.output).toContain('The collector ended (exit code 7); it starts again when its code changes.')
    clone.write('collector/word.ts', "export const word = 'four'")
    await expect.poll(dev.output).toContain('The collector was restarted.')
  })

  test('leaves no bundler after SIGKILL while a message of it is unanswered', async () => {
    const clone = developmentClone()
    const dev = clone.start()
    await expect.poll(dev.output).toContain('Ctrl-C stops both.')
    await expect.poll(() => bundlersOf(dev.pid)).toHaveLength(1)
    const [esbuild] = bundlersOf(dev.pid)
    if (esbuild === undefined) throw new Error('no process of esbuild')
    const family = familyOf(dev.pid)
    const others = [dev.pid, ...family].filter((pid) => pid !== esbuild)
    killEach(others, 'SIGSTOP')
    // It sends one message a second, which nothing shows from outside.
    const stopped = performance.now()
    await expect.poll(() => performance.now() - stopped).toBeGreaterThan(1_500)
    process.kill(dev.pid, 'SIGKILL')
    killEach(others, 'SIGCONT')
    await nothingLeft([...family, dev.pid], [])
  })

  test.each(['Ctrl-C', 'SIGKILL to npm', 'SIGKILL to the supervisor'])(
    "leaves nothing, with Next's own processes, after %s",
    { timeout: 480_000 },
    async (end) => {
      // The same folder each time: files of one run must not disturb the next.
      const npm = npmStart({ WAYSTATION_DIST: dist }, 'dev')
      const { appUrl, collectorUrl, family, supervisorPid } = await announced(npm)
      if (end === 'Ctrl-C') npm.pressCtrlC()
      else process.kill(end === 'SIGKILL to npm' ? npm.pid : supervisorPid, 'SIGKILL')
      await nothingLeft(family, [appUrl, collectorUrl])
    },
  )
})
