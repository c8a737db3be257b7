import { formatValue } from '../../verdict/text'
import type { MatcherState } from '../matchers/matcher'
import { type GoldenContext, matchTraceWith } from '../matchers/to-match-trace'

/** The used part of the state that Vitest passes to matchers; `snapshotState` is documented nowhere. */
export interface VitestState extends MatcherState {
  readonly testPath?: string
  /** Vitest 4.1 has the mode as `snapshotUpdateState`, earlier versions only in a private field. */
  readonly snapshotState?: object
}

/**
 * `all` is `vitest -u`. Otherwise `new` writes what is missing, and in CI Vitest has `none`.
 */
const MODES = { all: 'update', new: 'create', none: 'compare' } as const

/** The project of the test file that runs; `null` before its first test. */
let running: string | null = null

/** Called before each test. @param project of Vitest; `undefined` or empty without a name */
export function noteProject(project: string | undefined): void {
  running = project ?? ''
}

/** @param project its name, empty without one; `null` outside of a test @throws Error if this version of Vitest has its state elsewhere */
export function vitestContext({ testPath, snapshotState }: VitestState, project: string | null): GoldenContext {
  const given: unknown =
    snapshotState === undefined
      ? undefined
      : (Reflect.get(snapshotState, 'snapshotUpdateState') ?? Reflect.get(snapshotState, '_updateSnapshot'))
  const mode = given === 'all' || given === 'new' || given === 'none' ? MODES[given] : null
  if (testPath === undefined || mode === null || project === null)
    throw new Error(
      `toMatchTrace: this version of Vitest does not say which test runs or whether it updates snapshots: testPath ${formatValue(testPath)}, mode ${formatValue(given)}, project ${formatValue(project)}; expected a path, all, new or none, and a name. Use toMatchTrace within a test, with Vitest 3.2 to 4.1`,
    )
  return { testFile: testPath, project, mode, updateCommand: 'npx vitest -u' }
}

export const toMatchTrace = matchTraceWith((state: VitestState) => vitestContext(state, running))
