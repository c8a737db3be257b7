import { plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { OpenedRun, RunOrder } from '../../lib/wire/run'
import type { RunsDeps } from '../api/control'
import { shownEnvironment } from '../launch/recorder-environment'
import { type RunningCollector, startCollector, stopCollector } from '../launch/start-collector'
import { RECORDINGS_KEPT } from './run-folder'
import { deleteRun, type ListedRun, listRuns, nameRun, pinRun, unpinRun } from './run-list'

/** Each is a process of its own, with about 110 MB. */
const MOST_OPEN = 4

interface Opened {
  readonly collector: RunningCollector
  boards: OpenedRun
}

/** The runs in the data folder. An opened one is shown by a collector of its own, which ends with this one. */
export function createKeptRuns(parts: {
  readonly folder: string
  readonly root: string
  /** Folder of the bundles. */
  readonly bundles: string
  readonly log: (line: string) => void
}): RunsDeps & { readonly close: () => Promise<void> } {
  const opened = new Map<string, Opened>()
  const open = ({ id, folder }: ListedRun): Result<null, string> => {
    const current = opened.get(id)
    if (current !== undefined && current.boards.state !== 'failed') return succeed(null)
    const running = [...opened.values()].filter(({ boards }) => boards.state !== 'failed')
    if (running.length >= MOST_OPEN) return fail(`${MOST_OPEN} runs are open: close one first`)
    const collector = startCollector({
      ...{ root: parts.root, bundles: parts.bundles, opened: folder, dataFolder: folder, port: 0, appUrl: 'off' },
      env: shownEnvironment(folder, 0),
      onLine: (line) => parts.log(plainText(`run ${id} | ${line}`)),
    })
    const one: Opened = { collector, boards: { state: 'opening' } }
    opened.set(id, one)
    void collector.ready.then((ready) => {
      one.boards = ready.ok
        ? { state: 'open', url: ready.value.url }
        : { state: 'failed', message: ready.error.message }
    })
    void collector.child.exited.then(() => {
      if (opened.get(id) === one && one.boards.state === 'open') opened.delete(id)
    })
    return succeed(null)
  }
  const close = async (id: string): Promise<void> => {
    const one = opened.get(id)
    opened.delete(id)
    if (one !== undefined) await stopCollector(one.collector, new AbortController().signal)
  }
  const change = (order: RunOrder, run: ListedRun): Result<null, string> => {
    switch (order.do) {
      case 'pin':
        pinRun(run)
        return succeed(null)
      case 'unpin':
        unpinRun(run)
        return succeed(null)
      case 'name':
        return nameRun(run, order.name)
      case 'delete':
        return deleteRun(run)
      case 'open':
        return run.isRecording ? fail(`${run.id} is being recorded: its collector serves its boards`) : open(run)
      case 'close':
        void close(run.id)
        return succeed(null)
    }
  }
  return {
    list: async () => ({
      folder: parts.folder,
      kept: RECORDINGS_KEPT,
      runs: listRuns(parts.folder).map(({ folder: _, ...run }) => ({
        ...run,
        boards: opened.get(run.id)?.boards ?? null,
      })),
    }),
    order: async (order) => {
      const run = listRuns(parts.folder).find(({ id }) => id === order.run)
      if (run === undefined)
        return fail({ status: 404, detail: `there is no run ${JSON.stringify(order.run.slice(0, 60))}` })
      const done = change(order, run)
      return done.ok ? done : fail({ status: 409, detail: done.error })
    },
    close: async () => {
      await Promise.all([...opened.keys()].map(close))
    },
  }
}
