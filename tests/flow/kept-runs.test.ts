import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CollectorClient, collectorClient } from '../../lib/wire/collector-client'
import type { KeptRun } from '../../lib/wire/run'
import { type CollectorProcess, endCollectors, startCollector, temporaryFolder } from './collector-process'
import { errorEnvelope } from './envelopes'
import { node, recordingsIn, run } from './run-process'

const { body } = errorEnvelope('http://local@127.0.0.1:1/1', { message: 'in a run' })
const PROGRAM = `fetch(process.env.WAYSTATION_COLLECTOR_URL + '/tunnel', { method: 'POST', body: ${JSON.stringify(body)} }).then(() => process.exit(3))`

/** Other tests make copies, too, but in the temporary folder of the machine. */
const TMPDIR = temporaryFolder()
const copies = (): readonly string[] => readdirSync(TMPDIR)

describe('the runs of a data folder', () => {
  let collector: CollectorProcess
  let client: CollectorClient
  const data = temporaryFolder()
  const newest = async (): Promise<KeptRun> => {
    const [first] = (await client.runs()).runs
    if (first === undefined) throw new Error('no run is listed')
    return first
  }
  beforeAll(async () => {
    for (const name of ['first', 'second'])
      await run(['--no-check', '--name', name, ...node(PROGRAM)], { WAYSTATION_DATA: data }).ended
    collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in', TMPDIR }, data)
    client = collectorClient(collector.url, fetch)
  }, 180_000)
  afterAll(endCollectors)

  it('are listed with their facts, newest first', async () => {
    expect(await client.runs()).toMatchObject({
      folder: data,
      kept: 20,
      runs: [
        {
          facts: { name: 'second', exit: { code: 3 }, verdict: null },
          isPinned: false,
          isRecording: false,
          boards: null,
        },
        { facts: { name: 'first' } },
      ],
    })
  })

  it('are pinned and named', async () => {
    const { id } = await newest()
    expect((await client.orderRun({ do: 'pin', run: id })).runs[0]?.isPinned).toBe(true)
    expect((await client.orderRun({ do: 'unpin', run: id })).runs[0]?.isPinned).toBe(false)
    expect((await client.orderRun({ do: 'name', run: id, name: 'main' })).runs[0]?.facts?.name).toBe('main')
  })

  it('are opened by a collector that changes nothing, and closed with this one', async () => {
    const before = copies()
    const { id } = await newest()
    expect((await client.orderRun({ do: 'open', run: id })).runs[0]?.boards).toEqual({ state: 'opening' })
    await expect.poll(async () => (await newest()).boards?.state).toBe('open')
    const { boards } = await newest()
    const url = boards?.state === 'open' ? boards.url : ''
    const opened = collectorClient(url, fetch)
    expect(await opened.overview()).toMatchObject({ isShown: true, localOnly: true, counts: { errors: 1 } })
    await expect(opened.clear({ pending: true })).rejects.toThrow('nothing can be received or changed')
    // A second request opens no second collector.
    expect((await client.orderRun({ do: 'open', run: id })).runs[0]?.boards).toEqual(boards)
    expect(copies().length).toBe(before.length + 1)
    await client.orderRun({ do: 'close', run: id })
    expect((await newest()).boards).toBeNull()
    await expect.poll(() => copies().length).toBe(before.length)
    await client.orderRun({ do: 'open', run: id })
    await expect.poll(async () => (await newest()).boards?.state).toBe('open')
    const again = await newest()
    await collector.stop()
    await expect(fetch(again.boards?.state === 'open' ? again.boards.url : '')).rejects.toThrow()
    expect(copies().length).toBe(before.length)
    collector = await collector.restart()
  }, 180_000)

  it('say why one cannot be opened', async () => {
    const [, folder = ''] = recordingsIn(data)
    writeFileSync(join(folder, 'spool.db'), 'no database')
    const id = (await client.runs()).runs.find((one) => folder.endsWith(one.id))?.id ?? ''
    await client.orderRun({ do: 'open', run: id })
    const boards = async () => (await client.runs()).runs.find((one) => one.id === id)?.boards
    await expect.poll(async () => (await boards())?.state).toBe('failed')
    expect(await boards()).toMatchObject({
      message: expect.stringContaining('cannot be opened: file is not a database'),
    })
  }, 180_000)

  it('refuse an unknown run and a wrong order, and delete only runs', async () => {
    const post = (given: unknown) =>
      fetch(`${collector.url}/control/runs`, { method: 'POST', body: JSON.stringify(given) })
    for (const id of ['..', '../..', '', '20261124T000000.000Z-0000'])
      expect((await post({ do: 'delete', run: id })).status, id).toBe(404)
    const { id } = await newest()
    for (const wrong of [{ do: 'run', run: id }, { do: 'name', run: id, name: ' ' }, { do: 'pin' }, []]) {
      const answer = await post(wrong)
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('{ \\"do\\": \\"open\\"')])
    }
    const foreign = await fetch(`${collector.url}/control/runs`, {
      method: 'POST',
      headers: { origin: 'http://evil.test' },
      body: JSON.stringify({ do: 'delete', run: id }),
    })
    expect(foreign.status).toBe(403)
    expect((await client.orderRun({ do: 'delete', run: id })).runs).toHaveLength(1)
    expect(existsSync(join(data, 'runs', id))).toBe(false)
  })
})
