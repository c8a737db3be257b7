'use client'

import Link from 'next/link'
import type { LabPlace } from './entry'
import { EntryRow } from './entry-row'

/** Not prefetched: the navigation's own request shall be in the navigation's own trace. */
export function PlaceRow({ place }: { readonly place: LabPlace }) {
  const testId = `lab-${place.id}`
  return (
    <EntryRow expect={place.expect}>
      {place.document ? (
        <a className="button" href={place.href} data-testid={testId}>
          {place.title}
        </a>
      ) : (
        <Link className="button" href={place.href} prefetch={false} data-testid={testId}>
          {place.title}
        </Link>
      )}
    </EntryRow>
  )
}
