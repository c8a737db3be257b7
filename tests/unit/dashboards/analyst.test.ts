import { describe, expect, it } from 'vitest'
import { Analyst } from '../../../dashboards/traces/analyst'
import type { TreeFindings } from '../../../lib/protocol/trace/analyse-tree'
import { analysePacked, type PackedTree } from '../../../lib/protocol/trace/packed-tree'
import { buildSpanTree } from '../../../lib/protocol/trace/span-tree'
import { timeTree } from '../../../lib/protocol/trace/time-tree'
import { spanIn } from './drawn-trace'

/** A worker that answers when the test says so. */
class FakeThread {
  onmessage: Worker['onmessage'] = null
  onmessageerror: Worker['onmessageerror'] = null
  onerror: Worker['onerror'] = null
  readonly received: PackedTree[] = []
  isEnded = false

  postMessage(packed: PackedTree): void {
    this.received.push(packed)
  }

  terminate(): void {
    this.isEnded = true
  }

  answer(): void {
    const packed = this.received.at(-1)
    if (packed === undefined) throw new Error('nothing was posted')
    this.onmessage?.call(this.asWorker, new MessageEvent('message', { data: analysePacked(packed) }))
  }

  fail(): void {
    this.onerror?.call(this.asWorker, new Event('error') as ErrorEvent)
  }

  /** The handlers read no `this`. */
  get asWorker(): Worker {
    return Object.create(this)
  }
}

const treeOf = (rootId: string) => timeTree(buildSpanTree([spanIn(rootId, { startUs: 0, endUs: 100 })]).roots)

function started(start: (() => FakeThread) | null = null) {
  const threads: FakeThread[] = []
  const shown: (string | undefined)[] = []
  const analyst = new Analyst(() => {
    const thread = (start ?? (() => new FakeThread()))()
    threads.push(thread)
    return thread
  })
  const analyse = (rootId: string): void =>
    analyst.analyse({
      tree: treeOf(rootId),
      traceUs: 100,
      show: ({ path }: TreeFindings) => shown.push(path?.rootId),
    })
  return { analyst, analyse, threads, shown, thread: () => threads.at(-1) ?? new FakeThread() }
}

describe('the analysis in a worker', () => {
  it('is shown when the worker answers, and the next one uses the same worker', () => {
    const { analyse, shown, thread, threads } = started()
    analyse('first')
    expect(shown).toEqual([])
    thread().answer()
    analyse('second')
    thread().answer()
    expect(shown).toEqual(['first', 'second'])
    expect(threads).toHaveLength(1)
  })

  it('of a newer tree replaces the ones before it', () => {
    const { analyse, shown, thread } = started()
    for (const id of ['first', 'second', 'third']) analyse(id)
    expect(thread().received).toHaveLength(1)
    thread().answer()
    expect(shown).toEqual([])
    thread().answer()
    expect(shown).toEqual(['third'])
    expect(thread().received).toHaveLength(2)
  })

  it('happens on the page after the worker failed, for the newest tree', () => {
    const { analyse, shown, thread, threads } = started()
    analyse('first')
    analyse('second')
    thread().fail()
    analyse('third')
    expect(shown).toEqual(['second', 'third'])
    expect(thread().isEnded).toBe(true)
    expect(threads).toHaveLength(1)
  })

  it('happens on the page when a worker cannot be started', () => {
    const { analyse, shown } = started(() => {
      throw new Error('Worker is not defined')
    })
    analyse('first')
    expect(shown).toEqual(['first'])
  })

  it('ends with the page of the trace, and starts again when it is shown again', () => {
    const { analyst, analyse, shown, thread, threads } = started()
    analyse('first')
    analyst.close()
    expect(thread().isEnded).toBe(true)
    analyse('second')
    thread().answer()
    expect(shown).toEqual(['second'])
    expect(threads).toHaveLength(2)
  })
})
