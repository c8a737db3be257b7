import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MANIFEST_FILE, type RecordedRun } from '../../lib/wire/run'
import type { RunsDeps } from '../api/control'

/* Most collectors never use the code of runs, which reads archives and databases: it loads with its first use. */

type KeptRunsParts = Parameters<typeof import('./kept-runs').createKeptRuns>[0]

/** The run that a folder contains; `null` for the folder of a collector. */
export async function describeRun(folder: string): Promise<RecordedRun | null> {
  if (!existsSync(join(folder, MANIFEST_FILE))) return null
  return (await import('./manifest')).describeRun(folder)
}

/**
 * The runs in a data folder, as `createKeptRuns` makes them. `close` ends the collectors that show runs, and loads nothing
 * when none was ever listed.
 */
export function loadKeptRuns(parts: KeptRunsParts): RunsDeps & { readonly close: () => Promise<void> } {
  let loading: Promise<ReturnType<typeof import('./kept-runs').createKeptRuns>> | null = null
  const load = () => {
    loading ??= import('./kept-runs').then(({ createKeptRuns }) => createKeptRuns(parts))
    return loading
  }
  return {
    list: async () => (await load()).list(),
    order: async (order) => (await load()).order(order),
    close: async () => (await loading)?.close(),
  }
}
