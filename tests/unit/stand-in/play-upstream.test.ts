import { afterEach, describe, expect, it } from 'vitest'
import { type PlayedUpstream, playUpstream } from '../../../collector/stand-in/play-upstream'
import { type GivenScript, scriptSchema } from '../../../lib/wire/stand-in'

const started: PlayedUpstream[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ standIn }) => standIn.close()))
})

/** Settings that outlive a life of the collector, and what is told beside them. */
function machine(setting: string | null = null) {
  let ready: Promise<void> = Promise.resolve()
  const disk = {
    setting,
    writes: 0,
    changes: 0,
    said: [] as string[],
    now: 1_000_000,
    refuses: false,
    /** What is written from now on waits; returns what lets it go. */
    holdsBack: (): (() => void) => {
      let letGo = (): void => undefined
      ready = new Promise((resolve) => {
        letGo = resolve
      })
      return letGo
    },
  }
  const start = async (): Promise<PlayedUpstream> => {
    const played = await playUpstream({
      setting: async () => disk.setting,
      keep: async (_name, value) => {
        if (disk.refuses) throw new Error('the disk is full')
        await ready
        disk.writes += 1
        disk.setting = value
      },
      changed: async () => {
        disk.changes += 1
      },
      now: () => disk.now,
      say: (line) => disk.said.push(line),
    })
    started.push(played)
    return played
  }
  return { disk, start }
}

const play = (upstream: PlayedUpstream, script: GivenScript): Promise<void> => upstream.play(scriptSchema.parse(script))
const post = (upstream: PlayedUpstream): Promise<Response> =>
  fetch(`http://${upstream.standIn.dsn.host}/api/1/envelope/`, { method: 'POST', body: '{}' })

describe('a script that is to be kept', () => {
  it('is written down when it is played, and with each post that it takes', async () => {
    const { disk, start } = machine()
    const upstream = await start()
    await play(upstream, { answers: [{ status: 503, times: 3 }], keep: true })
    expect(disk.writes).toBe(1)
    await post(upstream)
    await expect.poll(() => JSON.parse(disk.setting ?? '{}')).toMatchObject({ answers: [{ times: 2, status: 503 }] })
    expect(disk.changes).toBe(1)
  })

  it('goes on where it was, and its time goes on while nobody plays', async () => {
    const { disk, start } = machine()
    await play(await start(), {
      answers: [
        { status: 503, forMs: 9000 },
        { status: 500, forMs: 1000 },
      ],
      keep: true,
    })
    disk.now += 4000
    const again = await start()
    expect(again.sentence()).toBe('503, for 5 s more; then 200')
    expect(again.standIn.state().keep).toBe(true)
  })

  it('lasts no longer than it was meant to when the clock was set back', async () => {
    const { disk, start } = machine()
    await play(await start(), { answers: [{ status: 503, forMs: 9000 }], keep: true })
    disk.now -= 86_400_000
    expect((await start()).sentence()).toBe('503, for 9 s more; then 200')
  })

  it('is gone when all of it is used up or over', async () => {
    const { disk, start } = machine()
    await play(await start(), { answers: [{ status: 503, forMs: 9000 }], keep: true })
    disk.now += 9000
    expect((await start()).sentence()).toBeNull()
  })

  it('is replaced by one that is not, which is written down nowhere', async () => {
    const { disk, start } = machine()
    const upstream = await start()
    await play(upstream, { answers: [{ status: 503 }], keep: true })
    await play(upstream, { answers: [{ status: 500 }] })
    expect(disk.setting).toBe('')
    await play(upstream, { answers: [{ status: 400 }] })
    expect(disk.writes).toBe(2)
    expect((await start()).sentence()).toBeNull()
  })

  it.each(['{', '[]', '{"answers":[{"status":9}]}'])('that reads %s is told of and not played', async (text) => {
    const { disk, start } = machine(text)
    expect((await start()).sentence()).toBeNull()
    expect(disk.said).toEqual([expect.stringContaining('cannot be read')])
  })

  it('plays on, and after a restart too, where the next one cannot be written down', async () => {
    const { disk, start } = machine()
    const upstream = await start()
    await play(upstream, { answers: [{ status: 503, times: 3 }], keep: true })
    disk.refuses = true
    await expect(play(upstream, { answers: [] })).rejects.toThrow('the disk is full')
    expect(upstream.sentence()).toBe('503, 3 more times; then 200')
    expect(disk.changes).toBe(1)
    disk.refuses = false
    await post(upstream)
    await expect.poll(() => JSON.parse(disk.setting ?? '{}')).toMatchObject({ answers: [{ times: 2 }] })
    await play(upstream, { answers: [] })
    expect((await start()).sentence()).toBeNull()
  })

  it('is not written over by the one before it, which takes posts meanwhile', async () => {
    const { disk, start } = machine()
    const upstream = await start()
    await play(upstream, { answers: [{ status: 503, times: 9 }], keep: true })
    const letGo = disk.holdsBack()
    const next = play(upstream, { answers: [{ status: 400 }], keep: true })
    expect((await post(upstream)).status).toBe(503)
    letGo()
    await next
    expect(JSON.parse(disk.setting ?? '{}')).toMatchObject({ answers: [{ status: 400 }] })
    expect((await post(upstream)).status).toBe(400)
  })

  it('that was asked for last is the one that is played', async () => {
    const { disk, start } = machine()
    const upstream = await start()
    const letGo = disk.holdsBack()
    const both = [
      play(upstream, { answers: [{ status: 503 }], keep: true }),
      play(upstream, { answers: [{ status: 400 }] }),
    ]
    letGo()
    await Promise.all(both)
    expect([upstream.sentence(), disk.setting]).toEqual(['400', ''])
  })

  it('is played on while the disk is full, which is told', async () => {
    const { disk, start } = machine()
    const upstream = await start()
    await play(upstream, { answers: [{ status: 503, times: 3 }], keep: true })
    disk.refuses = true
    await post(upstream)
    await expect.poll(() => disk.said).toEqual([expect.stringContaining('the disk is full')])
    disk.refuses = false
    await post(upstream)
    await expect.poll(() => JSON.parse(disk.setting ?? '{}')).toMatchObject({ answers: [{ times: 1 }] })
  })
})
