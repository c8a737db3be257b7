import { answerSchema, type GivenScript, type ScriptedAnswer } from './stand-in'

/**
 * The rule by which the stand-in limits categories: one post that holds any of them is answered with the limit, which is
 * then told; those behind it are answered 200.
 * @param categories empty for everything.
 * @param seconds from that answer on.
 * @param how.status 429 refuses the post; 200 takes it and limits what comes next.
 * @param how.times so many posts are answered so, 1 when left out.
 */
export function limitingAnswer(
  categories: readonly string[],
  seconds: number,
  how: {
    readonly status?: 200 | 429
    readonly scope?: 'organization' | 'project' | 'key'
    readonly reason?: string
    readonly times?: number
  } = {},
): ScriptedAnswer {
  const limit = [seconds, categories.join(';'), how.scope ?? 'organization', ...(how.reason ? [how.reason] : [])]
  const given: GivenScript['answers'][number] = {
    ...(categories.length > 0 && { categories: [...categories] }),
    times: how.times ?? 1,
    status: how.status ?? 429,
    headers: { 'X-Sentry-Rate-Limits': limit.join(':') },
  }
  return answerSchema.parse(given)
}
