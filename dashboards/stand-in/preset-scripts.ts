import { DATA_CATEGORIES } from '../../lib/protocol/data-category'
import { limitingAnswer } from '../../lib/wire/scripted-answers'
import type { PlayedAnswer, Script } from '../../lib/wire/stand-in'

/** The ways to answer that the board offers, with their effect. */
export const PRESETS = [
  { id: 'off', name: 'Off', effect: 'Every post is answered 200.' },
  {
    id: 'limit',
    name: 'Limit a category',
    effect: 'The next post with this category is answered 429 with the limit. Later posts are answered 200.',
  },
  { id: '500', name: 'Answer 500', effect: 'Every envelope becomes a dead letter.' },
  { id: 'hang', name: 'Hang', effect: 'No post is answered. The relay gives up after 10 s, waits, and tries again.' },
  {
    id: '403',
    name: 'Refuse the DSN',
    effect: 'Every post is answered 403. The relay pauses and sends one probe each minute.',
  },
] as const
export type PresetId = (typeof PRESETS)[number]['id']

export const EVERYTHING = 'all'

const FIRST_CATEGORIES = ['transaction', 'error', 'span']
export const CATEGORIES: readonly string[] = [
  ...FIRST_CATEGORIES,
  EVERYTHING,
  ...[...DATA_CATEGORIES].filter((name) => !FIRST_CATEGORIES.includes(name)).sort(),
]

/** The script of a preset. `category` and `seconds` apply to `limit`. */
export function presetScript(preset: PresetId, category: string, seconds: number): Script {
  const answer = { headers: {}, body: '', gzip: false, delayMs: 0, status: 200 }
  switch (preset) {
    case 'off':
      return { answers: [] }
    case 'limit':
      return {
        answers: [limitingAnswer(category === EVERYTHING ? [] : [category], seconds, { reason: 'stand_in' })],
      }
    case 'hang':
      return { answers: [{ ...answer, does: 'hang' }] }
    default:
      return {
        answers: [
          {
            ...answer,
            does: 'answer',
            status: Number(preset),
            body: JSON.stringify({ detail: `the stand-in answers ${preset}` }),
          },
        ],
      }
  }
}

/** The preset that is in force; `null` for another script, from a test or a terminal. */
export function activePreset(answers: readonly PlayedAnswer[]): PresetId | null {
  const [rule, ...others] = answers
  if (rule === undefined) return 'off'
  if (others.length > 0 || rule.endsAt !== null || rule.delayMs > 0) return null
  if (rule.status === 429 && rule.times !== undefined && 'X-Sentry-Rate-Limits' in rule.headers) return 'limit'
  if (rule.times !== undefined || rule.categories !== undefined) return null
  if (rule.does === 'hang') return 'hang'
  return PRESETS.find(({ id }) => rule.does === 'answer' && id === String(rule.status))?.id ?? null
}
