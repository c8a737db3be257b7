import { z } from 'zod'

/** What the stand-in answers: the first rule that has answers left, else 200. */
export const answerSchema = z.object({
  status: z.number().int().min(200).max(599),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string()).default({}),
  body: z.string().max(65_536).default(''),
  /** ms to wait before answering. */
  delayMs: z.number().int().min(0).max(120_000).default(0),
  /** Cut the connection instead of answering. */
  reset: z.boolean().default(false),
  /** How many posts it answers; for ever when left out. */
  times: z.number().int().min(1).optional(),
})
export type ScriptedAnswer = z.infer<typeof answerSchema>

export const scriptSchema = z.object({ answers: z.array(answerSchema).max(100) })
export type Script = z.infer<typeof scriptSchema>

/** Plays a script: takes the next answer, and tells what is left. */
export class ScriptPlayer {
  #answers: ScriptedAnswer[] = []

  load(script: Script): void {
    this.#answers = script.answers.map((answer) => ({ ...answer }))
  }

  next(): ScriptedAnswer | null {
    const [first] = this.#answers
    if (first === undefined) return null
    if (first.times !== undefined) {
      const left = first.times - 1
      this.#answers = left === 0 ? this.#answers.slice(1) : [{ ...first, times: left }, ...this.#answers.slice(1)]
    }
    return first
  }

  get left(): readonly ScriptedAnswer[] {
    return this.#answers
  }
}
