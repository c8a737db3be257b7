import { afterEach, describe, expect, test } from 'vitest'
import { announced, endStarted, familyOf, nothingLeft, npmStart } from './npm-start'

/** The first of these may have to wait for a build. */
const TEST_MS = 180_000
const DIED =
  'The collector ended unexpectedly (SIGKILL); restarting it. Until it is back, the tunnel stores envelopes in the lifeboat, and SDKs that send to the DSN get no connection.\n'

afterEach(endStarted)

describe('npm start, when its collector is killed', { timeout: TEST_MS }, () => {
  test('restarts it at the same address while the app keeps running, and prints nothing else', async () => {
    const npm = npmStart()
    const before = await announced(npm)
    const live = await fetch(`${before.appUrl}/collector/query/stream`)
    const printed = npm.output().length
    process.kill(before.collectorPid, 'SIGKILL')
    await expect.poll(npm.output).toContain('The collector is back.\n')
    const after = await announced(npm)
    expect((await fetch(`${before.collectorUrl}/health/live`)).status).toBe(200)
    await expect.poll(async () => (await fetch(`${before.appUrl}/collector/health/ready`)).status).toBe(200)
    expect(after.collectorPid).not.toBe(before.collectorPid)
    expect(after.collectorPid).toBeGreaterThan(0)
    expect(after.appPid).toBe(before.appPid)
    // The live stream ended normally, so a page opens it again.
    expect(await live.text()).toContain('event: beat')
    npm.pressCtrlC()
    expect(await npm.exited).toEqual({ code: 0, signal: null })
    expect(npm.output().slice(printed).trimStart()).toBe(`${DIED}The collector is back.\nStopping …\nStopped.\n`)
    await nothingLeft([...before.family, ...after.family], [before.appUrl, before.collectorUrl])
  })

  test('stops cleanly on Ctrl-C while it waits before a restart', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl } = await announced(npm)
    const timesBack = () => npm.output().match(/The collector is back/g)?.length ?? 0
    for (let kills = 1; kills <= 3; kills++) {
      process.kill((await announced(npm)).collectorPid, 'SIGKILL')
      await expect.poll(timesBack).toBe(kills)
    }
    const { collectorPid, family } = await announced(npm)
    process.kill(collectorPid, 'SIGKILL')
    await expect.poll(npm.output).toContain('restarting it in 4 s')
    npm.pressCtrlC()
    expect(await npm.exited).toEqual({ code: 0, signal: null })
    expect(timesBack()).toBe(3)
    await nothingLeft(family, [appUrl, collectorUrl])
  })

  test('gives up after the fifth death within a minute, and leaves no process', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl } = await announced(npm)
    const allPids = new Set<number>()
    for (let kills = 1; kills <= 5; kills++) {
      const { collectorPid } = await announced(npm)
      for (const pid of familyOf(npm.pid)) allPids.add(pid)
      process.kill(collectorPid, 'SIGKILL')
      if (kills < 5) await expect.poll(() => npm.output().match(/The collector is back/g)?.length).toBe(kills)
    }
    expect((await npm.exited).code).toBe(1)
    expect(npm.output()).toContain(
      'The collector ended unexpectedly 5 times within a minute, the last time with SIGKILL.\n',
    )
    await nothingLeft([...allPids], [appUrl, collectorUrl])
  })
})
