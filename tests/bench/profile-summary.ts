import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { textTable } from './report'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  /** µs before each sample. */
  readonly timeDeltas: readonly number[]
}

const FUNCTIONS_PER_THREAD = 8
/** The profiler's name for waiting. Native code that JavaScript did not call is `(program)`. */
const IDLE = '(idle)'

/** The functions of each profiled thread with the most self time. */
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
          .slice(0, FUNCTIONS_PER_THREAD)
          .map(([what, micros]) => [`  ${what}`, seconds(micros), `${((100 * micros) / busy).toFixed(0)} %`]),
      ]
    })
  return textTable(['thread and self time of functions, including waits for disk and core', 's', 'share'], rows)
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
