import type { Delivery } from '../../../lib/wire/delivery'

export interface DeliveryWords {
  readonly word: string
  readonly tone: 'good' | 'warn' | 'bad'
  /** What else is to know, each a sentence. */
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
  const notes = [
    ...delivery.form.map((form) => FORMS[form]).filter((note) => note !== null),
    ...(delivery.maybeDelivered ? ['No answer came, but the post may have arrived.'] : []),
  ]
  const { status } = delivery
  if (status === null) return { word: delivery.error ?? 'no answer', tone: 'warn', notes }
  if (status >= 200 && status < 300) return { word: `${status}`, tone: 'good', notes }
  return { word: `${status}`, tone: status === 429 || status >= 500 ? 'warn' : 'bad', notes }
}
