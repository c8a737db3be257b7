import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type GoldenMode, judgeGolden } from '../../verdict/golden/judge-golden'
import { formatValue } from '../../verdict/text'
import { checkNames } from '../check-options'
import { boardsOf, doubtsOf, withTraceHint } from '../item-context'
import { type MatcherResult, type MatcherState, resultOf, traceFrom } from './matcher'

export interface MatchTraceOptions {
  /** Names of further attributes to compare, such as `['cart.currency']`. Ids and numbers in their values count as `*`. */
  readonly attributes?: readonly string[]
}

/** Facts of the test runner about the running test. */
export interface GoldenContext {
  readonly testFile: string
  /** The name of the project, which has files of its own; empty without one. */
  readonly project: string
  readonly mode: GoldenMode
  /** How a person updates the files. */
  readonly updateCommand: string
}

const FOLDER = '__traces__'
const NAME = /^[A-Za-z0-9_][\w.-]{0,99}$/

/** Named, because declarations of an inferred type would import the entry of the package from itself. */
export type MatchTrace<State extends MatcherState> = (
  this: State,
  received: unknown,
  name: string,
  options?: MatchTraceOptions,
) => MatcherResult

/** The matcher for a runner. @param contextOf reads the context of the test that runs */
export const matchTraceWith = <State extends MatcherState>(
  contextOf: (state: State) => GoldenContext,
): MatchTrace<State> =>
  function toMatchTrace(received, name, options = {}) {
    const trace = traceFrom('toMatchTrace', received)
    const attributes = attributesOf(name, options)
    const { testFile, project, mode, updateCommand } = contextOf(this)
    const folder = join(dirname(testFile), FOLDER, project.replace(/[^\w.-]+/g, '-').replace(/^\.+/, ''))
    const path = join(folder, `${name}.trace.txt`)
    const answer = judgeGolden(trace, {
      path: relative(process.cwd(), path),
      text: existsSync(path) ? readFileSync(path, 'utf8') : null,
      mode: this.isNot === true ? 'compare' : inCi(mode, process.env.CI),
      attributes,
      doubts: doubtsOf(trace),
      updateCommand,
      boards: boardsOf(trace),
    })
    if (answer.write !== null) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(path, answer.write)
    }
    return resultOf(withTraceHint(trace, answer), this)
  }

/** In CI nobody reads and commits a new file, so a missing one fails. An update that a person orders is done. */
export const inCi = (mode: GoldenMode, ci: string | undefined): GoldenMode =>
  mode === 'update' || ['', '0', 'false'].includes(ci ?? '') ? mode : 'compare'

function attributesOf(name: unknown, options: MatchTraceOptions): readonly string[] {
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError(
      `toMatchTrace: the name must be 1 to 100 letters, digits, "_", "-" and ".", such as 'checkout', got ${formatValue(name)}`,
    )
  checkNames('toMatchTrace', options, ['attributes'])
  const { attributes = [] } = options
  if (!Array.isArray(attributes) || !attributes.every((one) => typeof one === 'string' && one !== ''))
    throw new TypeError(
      `toMatchTrace: attributes must be a list of names such as ['cart.currency'], got ${formatValue(attributes)}`,
    )
  return attributes
}
