import { type Answer, type RenderOptions, renderAnswer } from './answer'
import { checkVerb } from './check'
import { compareVerb } from './compare'
import { explainVerb } from './explain'
import { getVerb } from './get'
import { markVerb } from './mark'
import { searchVerb } from './search'
import type { AskSources } from './sources'
import { statusVerb } from './status'
import type { Verb } from './verb'
import { waitVerb } from './wait'

/** Every verb, in the order in which they are listed. */
export const VERBS: readonly Verb[] = [
  statusVerb,
  searchVerb,
  getVerb,
  waitVerb,
  checkVerb,
  markVerb,
  compareVerb,
  explainVerb,
]

export const verbNamed = (name: string): Verb | undefined => VERBS.find((verb) => verb.name === name)

/** Arguments of a call, as a command or a client of MCP gives them. */
export type GivenArguments = Readonly<Record<string, string | number | boolean>>

/** Runs a verb and renders its answer. @throws as `Verb.run` */
export async function ask(
  verb: Verb,
  sources: AskSources,
  given: GivenArguments,
  options: Pick<RenderOptions, 'asker' | 'raw'>,
): Promise<{ readonly text: string; readonly verdict: Answer['verdict'] }> {
  const answer = await verb.run(sources, given)
  return { text: renderAnswer(answer, { ...options, call: { verb: verb.name, args: given } }), verdict: answer.verdict }
}
