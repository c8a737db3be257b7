import { describe, expect, it } from 'vitest'
import { LiveHub } from '../../../collector/api/live-hub'
import { createJudge } from '../../../collector/judge/judge'
import type { JournalFact } from '../../../lib/wire/journal'
import { ALL, NO_LIMITS, scriptedJudge } from './scripted-judge'

const factOf = (n: number, kind: JournalFact['kind']): JournalFact => ({ n, at: 0, kind, seq: 1 })

describe('a judge', () => {
  it('starts its thread with the first query and passes the query on', async () => {
    const { threads, query } = scriptedJudge()
    expect(threads.started()).toBe(0)
    expect(await query({ stamp: 'mine', after: 7 })).toBe('answer 1')
    expect([threads.started(), threads.calls[0]?.args]).toEqual([
      1,
      [{ stamp: 'mine', after: 7 }, NO_LIMITS, 'http://127.0.0.1:8969'],
    ])
  })

  it('repeats its answer while the record does not change', async () => {
    const { hub, query, setLimits } = scriptedJudge()
    await query()
    hub.publish([factOf(11, 'digested'), factOf(12, 'delivered'), factOf(13, 'decided')])
    setLimits({ ...NO_LIMITS, now: 2 })
    expect(await query()).toBe('answer 1')
  })

  it('judges again after a new submission, before its live fact arrives', async () => {
    const { query, receive } = scriptedJudge()
    await query()
    receive()
    expect(await query()).toBe('answer 2')
  })

  it.each(['evicted', 'cleared'] as const)('judges again after records were %s', async (kind) => {
    const { hub, query } = scriptedJudge()
    await query()
    hub.publish([factOf(11, kind), factOf(12, 'digested')])
    expect(await query()).toBe('answer 2')
  })

  it('judges again after each of two evictions that repeat the newest number', async () => {
    const { hub, query } = scriptedJudge()
    hub.publish([factOf(11, 'received'), factOf(11, 'evicted')])
    await query()
    hub.publish([factOf(11, 'evicted')])
    expect(await query()).toBe('answer 2')
  })

  it('judges again after the limits of pages changed', async () => {
    const { query, setLimits } = scriptedJudge()
    await query()
    setLimits({ pages: [], unnamed: 1 })
    expect(await query()).toBe('answer 2')
  })

  it('keeps the answers to the last eight queries', async () => {
    const { query } = scriptedJudge()
    await query()
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await query({ stamp: `stamp-${n}`, after: 0 })
    expect(await query()).toBe('answer 1')
    await query({ stamp: 'stamp-8', after: 0 })
    expect(await query({ stamp: 'stamp-8', after: 0 })).toBe('answer 9')
    expect(await query()).toBe('answer 10')
  })

  it('judges once for two equal queries at the same time', async () => {
    const { judge, threads } = scriptedJudge()
    const answers = [judge.contract(ALL), judge.contract(ALL)]
    await expect.poll(() => threads.calls.length).toBe(1)
    threads.calls[0]?.answer('one')
    expect(await Promise.all(answers)).toEqual(['one', 'one'])
  })

  it.each([
    [400, 1200],
    [5000, 10_000],
  ])(
    'a verdict that took %i ms is computed again after a pause of %i ms, for all queries in between',
    async (took, rest) => {
      const { judge, threads, timers, receiveAlways, pass, judgedIn } = scriptedJudge()
      await judgedIn(took)
      receiveAlways()
      const answers = [judge.contract(ALL), judge.contract(ALL)]
      await expect.poll(() => timers.waits()).toEqual([30_000, rest, rest])
      pass(rest)
      timers.runAll()
      await expect.poll(() => threads.calls.length).toBe(2)
      threads.calls[1]?.answer('answer 2')
      expect(await Promise.all(answers)).toEqual(['answer 2', 'answer 2'])
      expect(threads.calls).toHaveLength(2)
    },
  )

  it('judges at once after the pause, and for another query', async () => {
    const { timers, query, receive, pass, judgedIn } = scriptedJudge()
    await judgedIn(400)
    receive()
    expect(await query({ stamp: 'mine', after: 0 })).toBe('answer 2')
    pass(1200)
    expect(await query()).toBe('answer 3')
    expect(timers.waits()).toEqual([30_000])
  })

  it('rejects queries that wait for a pause when it closes', async () => {
    const { judge, threads, timers, receive, judgedIn } = scriptedJudge()
    await judgedIn(400)
    receive()
    const answer = judge.contract(ALL)
    await expect.poll(() => timers.waits()).toEqual([30_000, 1200])
    const refused = expect(answer).rejects.toThrow('stopping')
    await judge.close()
    await refused
    expect([threads.calls.length, timers.waits()]).toEqual([1, []])
  })

  it('stops an idle thread and starts another for the next query', async () => {
    const { threads, timers, query, receive } = scriptedJudge()
    await query()
    expect(timers.waits()).toEqual([30_000])
    timers.runAll()
    expect(threads.ended).toEqual(['stopped'])
    receive()
    await query()
    expect(threads.started()).toBe(2)
  })

  it('kills a thread that takes too long, says what to do, and judges again after a new submission', async () => {
    const { judge, threads, timers, query, receive } = scriptedJudge()
    const answer = judge.contract(ALL)
    await expect.poll(() => threads.calls.length).toBe(1)
    expect(timers.waits()).toEqual([60_000])
    timers.runAll()
    const sentence = 'judging the record took longer than 60 s: limit the query with after=N or stamp=S'
    await expect(answer).rejects.toThrow(sentence)
    await expect(query()).rejects.toThrow(sentence)
    expect(threads.started()).toBe(1)
    receive()
    expect(await query()).toBe('answer 2')
    expect(threads.started()).toBe(2)
  })

  it('retries after an error that is not about size', async () => {
    const { judge, threads, query } = scriptedJudge()
    const answer = judge.contract(ALL)
    await expect.poll(() => threads.calls.length).toBe(1)
    threads.fail('the file is locked')
    await expect(answer).rejects.toThrow('the file is locked')
    expect(await query()).toBe('answer 2')
  })

  it('does not retry a query that takes too much memory', async () => {
    const { judge, threads, query } = scriptedJudge()
    const answer = judge.contract(ALL)
    await expect.poll(() => threads.calls.length).toBe(1)
    threads.fail('Worker terminated due to reaching memory limit: JS heap out of memory')
    await expect(answer).rejects.toThrow('judging the record takes more than 1024 MiB of memory: limit the query')
    await expect(query()).rejects.toThrow('takes more than 1024 MiB')
    expect(threads.calls).toHaveLength(1)
  })

  it('stops its thread when closed and rejects later queries', async () => {
    const { judge, threads, timers, query } = scriptedJudge()
    await query()
    await judge.close()
    expect([threads.ended, timers.waits()]).toEqual([['stopped'], []])
    await expect(judge.contract({ stamp: 'other', after: 0 })).rejects.toThrow('stopping')
    await createJudge({
      folder: '',
      newest: async () => 0,
      hub: new LiveHub(0),
      pageLimits: async () => NO_LIMITS,
      collectorUrl: () => '',
      later: timers.later,
      monotonic: () => 0,
    }).close()
  })
})
