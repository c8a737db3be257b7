import { type TestInfo, test } from '@playwright/test'
import { type GoldenContext, matchTraceWith } from '../matchers/to-match-trace'

/** The used part of Playwright's `TestInfo`. */
export interface GoldenTest {
  readonly file: string
  readonly project: Pick<TestInfo['project'], 'name'>
  /** Before Playwright 1.65 `missing` was the default. */
  readonly config: { readonly updateSnapshots: 'all' | 'changed' | 'missing' | 'none' | 'default' }
}

const MODES = {
  all: 'update',
  changed: 'update',
  missing: 'create',
  default: 'create-and-fail',
  none: 'compare',
} as const

/** By default the test that is running. @throws Error outside of a test */
export const playwrightContext = ({ file, project, config }: GoldenTest = test.info()): GoldenContext => ({
  testFile: file,
  project: project.name,
  mode: MODES[config.updateSnapshots],
  updateCommand: `npx playwright test --update-snapshots`,
})

export const toMatchTrace = matchTraceWith(() => playwrightContext())
