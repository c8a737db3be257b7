import { analyseTree, type TreeFindings } from '../../lib/protocol/trace/analyse-tree'
import { type PackedFindings, packTree, unpackFindings } from '../../lib/protocol/trace/packed-tree'
import type { TimeTree } from '../../lib/protocol/trace/time-tree'
import type { TraceSpan } from '../../lib/wire/trace-columns'

/** The part of a `Worker` that is used. */
type Thread = Pick<Worker, 'postMessage' | 'terminate' | 'onmessage' | 'onmessageerror' | 'onerror'>

/** A tree that waits for its findings. */
interface Job {
  readonly tree: TimeTree<TraceSpan>
  readonly traceUs: number
  readonly show: (findings: TreeFindings) => void
}

/** Starts the worker. Next compiles its file; the collector's build replaces the name of the file. */
export const startThread = (): Thread => new Worker(new URL('./analysis-thread.ts', import.meta.url))

/**
 * Analyses trees in a worker, one at a time; a newer tree replaces one that waits, and drops the answer about an older
 * one. Without a working worker it analyses them at once, where it is called.
 */
export class Analyst {
  readonly #start: () => Thread
  #thread: Thread | null = null
  #hasFailed = false
  #current: Job | null = null
  #next: Job | null = null

  /** @param start may throw */
  constructor(start: () => Thread) {
    this.#start = start
  }

  /** Calls `show` of the newest job once. */
  analyse(job: Job): void {
    if (this.#current !== null) this.#next = job
    else this.#post(job)
  }

  /** Ends the worker. Nothing is shown any more, unless `analyse` is called again. */
  close(): void {
    this.#thread?.terminate()
    this.#thread = null
    this.#current = null
    this.#next = null
  }

  #post(job: Job): void {
    this.#current = job
    if (this.#hasFailed) {
      this.#answerHere()
      return
    }
    const packed = packTree(job.tree, job.traceUs)
    const { parents, startUs, endUs, orphans, service, op, name, status, kind } = packed
    const columns = [service, op, name, status, kind].map(({ at }) => at)
    try {
      this.#thread ??= this.#open()
      this.#thread.postMessage(
        packed,
        [parents, startUs, endUs, orphans, ...columns].map(({ buffer }) => buffer),
      )
    } catch {
      // An old browser, or a policy that forbids workers.
      this.#answerHere()
    }
  }

  #open(): Thread {
    const thread = this.#start()
    thread.onmessage = ({ data }: MessageEvent<PackedFindings>) => {
      const [job, next] = [this.#current, this.#next]
      this.#current = null
      this.#next = null
      if (next !== null) this.#post(next)
      else if (job !== null) job.show(unpackFindings(data, job.tree.nodes))
    }
    // For example its file could not be loaded.
    thread.onerror = () => this.#answerHere()
    thread.onmessageerror = () => this.#answerHere()
    return thread
  }

  #answerHere(): void {
    const job = this.#next ?? this.#current
    this.close()
    this.#hasFailed = true
    job?.show(analyseTree(job.tree, job.traceUs))
  }
}
