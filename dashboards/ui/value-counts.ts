'use client'

import { useEffect, useState } from 'react'
import { COUNTED_KEYS, isOrdered, KEY_VALUES, type QueryList } from '../../lib/filter/keys'
import { splitQuery } from '../../lib/filter/tokens'
import type { SignalKind } from '../../lib/protocol/items/signal'
import type { FilterName } from '../../lib/wire/filter'
import type { ValueCounts } from '../../lib/wire/values'
import { client } from './client'

/** The rows in which values are counted. */
export interface CountedRows {
  readonly list: QueryList
  /** Of the list `signals`. */
  readonly kind: SignalKind | undefined
  readonly query: string
}

export interface OfferedValue {
  readonly value: string
  /** In the newest rows; `null` when it is not counted. */
  readonly count: number | null
}

/** The values of a key in the newest rows; `null` before they are read, without a key, and for keys without counts. */
export function useValueCounts({ list, kind, query }: CountedRows, key: string | null): ValueCounts | null {
  const [counts, setCounts] = useState<ValueCounts | null>(null)
  const own = splitQuery(query).find((token) => token.key === 'own')?.value
  useEffect(() => {
    if (key === null || !COUNTED_KEYS[list].includes(key)) return
    const aborter = new AbortController()
    const of = { list, key, ...(kind !== undefined && { kind }), ...((own === 'show' || own === 'only') && { own }) }
    client.values(of, aborter.signal).then(
      (read) => {
        if (!aborter.signal.aborted) setCounts(read)
      },
      // The list itself reports an unreachable collector; known values are offered without counts.
      () => null,
    )
    return () => aborter.abort()
  }, [list, kind, own, key])
  return counts?.key === key && counts.list === list ? counts : null
}

/** Values to choose from, the most frequent first, then those that are valid and absent from the newest rows. */
export function offeredValues(list: QueryList, key: string, counts: ValueCounts | null): readonly OfferedValue[] {
  const counted = counts?.values ?? []
  const isComplete = counts?.isWhole === true
  const absent = knownValues(list, key).filter((value) => counted.every((one) => one.value !== value))
  return [...counted, ...absent.map((value) => ({ value, count: isComplete ? 0 : null }))]
}

/** Answers of upstream and levels of signals have other values than statuses and levels elsewhere. */
function knownValues(list: QueryList, key: string): readonly string[] {
  if ((list === 'deliveries' && key === 'status') || (list === 'signals' && key === 'level')) return []
  return KEY_VALUES[key as FilterName] ?? (isOrdered(key) ? (KEY_VALUES[key] ?? []) : [])
}
