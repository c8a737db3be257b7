import { type Delivery, MOST_REMOVED_TOLD, wasPosted } from '../../lib/wire/delivery'
import { type AnswerWords, answerWords } from '../ui/answers'
import { reasonWords } from '../ui/delivery-statuses'
import { formatCount, formatDuration, plural } from '../ui/quantities'

export interface DeliveryWords extends AnswerWords {
  /** How what was posted differs from what was received, each a sentence. */
  readonly notes: readonly string[]
}

const FORMS: Readonly<Record<Delivery['form'][number], string | null>> = {
  received: null,
  cut: 'Items were cut before it was posted.',
  scrubbed: 'It was scrubbed before it was posted.',
  late: 'It was posted long after it came; its sent_at was moved forward by the wait.',
}

/** One attempt and its answer, for a person. */
export function deliveryWords(delivery: Delivery): DeliveryWords {
  const notes = delivery.form.map((form) => FORMS[form]).filter((note) => note !== null)
  const words = answerWords(delivery, wasPosted(delivery))
  return { ...words, means: delivery.maybeDelivered ? `${words.means} ${MAYBE}` : words.means, notes }
}

const MAYBE = 'The post may have arrived all the same: upstream may get it twice.'

/** How long after the end of the one before each attempt began: `3.06 s after the one before`; `null` of the first. */
export const waitBefore = (attempts: readonly Pick<Delivery, 'startedAt' | 'endedAt'>[], at: number): string | null => {
  const [before, now] = [attempts[at - 1], attempts[at]]
  if (before === undefined || now === undefined) return null
  return `${formatDuration(Math.max(0, now.startedAt - before.endedAt) * 1000)} after the one before`
}

/** `item 2, transaction ×3: cut: upstream limits this category` */
export const leftOutWords = ({ item, type, quantity, reason }: Delivery['leftOut'][number]): string =>
  `item ${item + 1}, ${type}${quantity === 1 ? '' : ` ×${formatCount(quantity)}`}: ${reasonWords(reason) ?? reason}`

/** `values at 3 places`, `values at 200 or more places`: no more are told of one record. */
export const removedWords = ({ length }: Readonly<Delivery['removed']>): string =>
  `values at ${length < MOST_REMOVED_TOLD ? plural(length, 'place') : `${formatCount(length)} or more places`}`

/** `item 1, request.headers.Authorization`: the path begins with the number of the item, or with `header`. */
export function removedPlace(path: string): string {
  if (path.startsWith('header.')) return `the envelope’s header, ${path.slice('header.'.length)}`
  const [, item, place] = /^(\d+)\.(.+)$/.exec(path) ?? []
  return item === undefined || place === undefined ? path : `item ${Number(item) + 1}, ${place}`
}
