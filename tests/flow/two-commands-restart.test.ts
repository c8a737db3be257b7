import { afterEach, describe, expect, test } from 'vitest'
import { announced, endStarted, familyOf, nothingLeft, npmStart } from './npm-start'

/** The first of these may have to wait for a build. */
const TEST_MS = 180_000
const DIED =
  'The collector ended by itself (SIGKILL); starting it again. What comes by the tunnel meanwhile waits in the lifeboat; SDKs that send by DSN get no connection until it is back.\n'

afterEach(endStarted)

describe('npm start, when its collector is killed', { timeout: TEST_MS }, () => {
  test('starts it again at the same address, beside the app that stays, and says only that', async () => {
    const npm = npmStart()
    const before = await announced(npm)
    const live = await fetch(`${before.appUrl}/collector/query/stream`)
    const told = npm.output().length
    process.kill(before.collectorPid, 'SIGKILL')
    await expect.poll(npm.output, { timeout: 20_000 }).toContain('The collector is back.\n')
    const after = await announced(npm)
    expect((await fetch(`${before.collectorUrl}/health/live`)).status).toBe(200)
    expect((await fetch(`${before.appUrl}/collector/health/ready`)).status).toBe(200)
    expect(after.collectorPid).not.toBe(before.collectorPid)
    expect(after.collectorPid).toBeGreaterThan(0)
    expect(after.appPid).toBe(before.appPid)
    // A board's live stream has ended as one that has no more to tell: the board opens it again.
    expect(await live.text()).toContain('event: beat')
    npm.pressCtrlC()
    expect(await npm.exited).toEqual({ code: 0, signal: null })
    expect(npm.output().slice(told).trimStart()).toBe(`${DIED}The collector is back.\nStopping …\nStopped.\n`)
    await nothingLeft([...before.family, ...after.family], [before.appUrl, before.collectorUrl])
  })

  test('stops cleanly on Ctrl-C while it waits to start it again', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl } = await announced(npm)
    const timesBack = () => npm.output().match(/The collector is back/g)?.length ?? 0
    for (let kills = 1; kills <= 3; kills++) {
      process.kill((await announced(npm)).collectorPid, 'SIGKILL')
      await expect.poll(timesBack, { timeout: 20_000 }).toBe(kills)
    }
    const { collectorPid, family } = await announced(npm)
    process.kill(collectorPid, 'SIGKILL')
    await expect.poll(npm.output).toContain('starting it again in 4 s')
    npm.pressCtrlC()
    expect(await npm.exited).toEqual({ code: 0, signal: null })
    expect(timesBack()).toBe(3)
    await nothingLeft(family, [appUrl, collectorUrl])
  })

  test('gives up at the fifth time within a minute, and leaves nothing', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl } = await announced(npm)
    const everybody = new Set<number>()
    for (let kills = 1; kills <= 5; kills++) {
      const { collectorPid } = await announced(npm)
      for (const pid of familyOf(npm.pid)) everybody.add(pid)
      process.kill(collectorPid, 'SIGKILL')
      if (kills < 5)
        await expect.poll(() => npm.output().match(/The collector is back/g)?.length, { timeout: 20_000 }).toBe(kills)
    }
    expect((await npm.exited).code).toBe(1)
    expect(npm.output()).toContain(
      'The collector ended by itself 5 times within a minute, the last time with SIGKILL.\n',
    )
    await nothingLeft([...everybody], [appUrl, collectorUrl])
  })
})
