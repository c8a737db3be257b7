import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { buildShop, frameAt, project } from '../unit/maps/built-app'
import { type CollectorProcess, digested, endCollectors, postEnvelope, startCollector } from './collector-process'

afterAll(endCollectors)

const ID = 'a'.repeat(32)
const REACT =
  'Minified React error #418; visit https://react.dev/errors/418?args[]=HTML&args[]= for the full message or use the non-minified dev environment.'

async function postError(collector: CollectorProcess, script: string): Promise<void> {
  const { line, column } = frameAt(readFileSync(script, 'utf8'), '', 'new Error')
  const frame = { filename: 'app:///_next/static/cart.js', lineno: line, colno: column, in_app: true }
  const values = [{ type: 'Error', value: REACT, stacktrace: { frames: [frame] } }]
  const event = { event_id: ID, timestamp: Date.now() / 1000, exception: { values } }
  const parts = [{ dsn: collector.dsn, event_id: ID }, { type: 'event' }, event]
  await postEnvelope(collector, parts.map((part) => JSON.stringify(part)).join('\n'))
  await digested(collector, 1)
}

describe('GET /query/events/{id}/frames', () => {
  it('maps frames through WAYSTATION_SOURCE_MAPS, decodes errors of React, and keeps the answer', async () => {
    const folder = project()
    const script = await buildShop(folder, '.next/static/cart.js')
    const collector = await startCollector({ WAYSTATION_SOURCE_MAPS: folder })
    await postError(collector, script)
    const client = collectorClient(collector.url, fetch)
    const frames = await client.mappedFrames(ID)
    expect(frames).toMatchObject({
      eventId: ID,
      summary: 'source maps found for all frames',
      exceptions: [
        {
          decodedMessage: expect.stringMatching(/^Hydration failed because the server rendered HTML/),
          frames: [{ result: 'mapped', source: 'app/cart.ts', path: join(folder, 'app/cart.ts'), line: 4 }],
        },
      ],
    })
    const hash = (await client.event(ID))?.group.hash ?? ''
    const top = { function: frames?.exceptions[0]?.frames[0]?.raw.function ?? null, file: 'app/cart.ts', line: 4 }
    expect(await client.groupFrames(hash)).toMatchObject({ read: 1, stopped: null, frames: [{ ...top, eventId: ID }] })
    expect(await client.groupFrames('b'.repeat(32))).toBeNull()
    rmSync(folder, { recursive: true })
    expect(await collector.stop()).toBe(0)
    const again = await collector.restart()
    expect(await collectorClient(again.url, fetch).mappedFrames(ID)).toEqual(frames)
    expect(await client.mappedFrames('b'.repeat(32))).toBeNull()
  })
})
