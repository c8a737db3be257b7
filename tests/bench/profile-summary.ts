import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { textTable } from './text-table'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  /** µs before each sample. */
  readonly timeDeltas: readonly number[]
}

const SHOWN = 8
/** Waiting, in the words of the profiler. What is native and not called from JavaScript it calls `(program)`. */
const IDLE = '(idle)'

/** Where the threads of profiled collectors spent their time: the heaviest functions of each, without what they called. */
export function profileSummary(folder: string): string {
  const rows = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .sort()
    .flatMap((name) => {
      const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile
      const heaviest = selfTimes(profile).filter(([what]) => what !== IDLE)
      const busy = heaviest.reduce((sum, [, micros]) => sum + micros, 0)
      const seconds = (micros: number): string => (micros / 1e6).toFixed(2)
      return [
        [basename(name, '.cpuprofile'), seconds(busy), '100 %'],
        ...heaviest
          .slice(0, SHOWN)
          .map(([what, micros]) => [`  ${what}`, seconds(micros), `${((100 * micros) / busy).toFixed(0)} %`]),
      ]
    })
  return textTable(['thread, and what it did itself, waits for disk and core included', 's', 'share'], rows)
}

function selfTimes({ nodes, samples, timeDeltas }: Profile): readonly (readonly [string, number])[] {
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || '(anonymous)'}${url === '' ? '' : ` ${basename(url)}:${lineNumber + 1}`}`,
    ]),
  )
  const sums = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? ''
    sums.set(name, (sums.get(name) ?? 0) + (timeDeltas[index] ?? 0))
  }
  return [...sums].sort(([, a], [, b]) => b - a)
}
