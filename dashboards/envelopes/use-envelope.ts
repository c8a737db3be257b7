'use client'

import { useState } from 'react'
import type { ItemOutcome } from '../../lib/wire/delivery-status'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { client } from '../ui/client'
import { type LiveState, useLive } from '../ui/use-live'

/** What became of it, beside the envelope. */
export interface Course {
  /** When it was on disk; `null` where the journal knows no more. */
  readonly storedAt: number | null
  readonly outcomes: readonly ItemOutcome[]
}

export interface EnvelopeState extends LiveState {
  /** `undefined` until it was read once; `null` when there is none of this number (yet). */
  readonly envelope: EnvelopeDetail | null | undefined
  readonly course: Course
}

const NO_COURSE: Course = { storedAt: null, outcomes: [] }

/** One envelope with its deliveries, as they are made. */
export function useEnvelope(seq: number): EnvelopeState {
  const [envelope, setEnvelope] = useState<EnvelopeDetail | null | undefined>(undefined)
  const [course, setCourse] = useState<Course>(NO_COURSE)
  const live = useLive({
    read: async (signal) => {
      const [read, became] = await Promise.all([client.envelope(seq, signal), client.outcomesOf(seq, signal)])
      setEnvelope((before) => read ?? before ?? null)
      if (read === null) return
      const fact = course.storedAt === null ? await client.fact(read.journal, signal) : null
      setCourse((before) => ({
        storedAt: fact?.n === read.journal ? fact.at : before.storedAt,
        outcomes: became?.outcomes ?? before.outcomes,
      }))
    },
    // `digested` names the last of its batch, so it may cover this one.
    concerns: (fact) => fact.seq === seq || fact.kind === 'digested' || fact.kind === 'cleared',
  })
  return { ...live, envelope, course }
}
