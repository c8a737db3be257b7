'use client'

import { type ReactNode, useEffect } from 'react'
import { applyPreferences } from '../dashboards/ui/preferences'

interface Props {
  readonly children: ReactNode
  readonly testId?: string
}

/** The frame of pages that visitors see without signing in: it has no navigation, because the boards are not for them. */
export function VisitorPage({ children, testId }: Props) {
  useEffect(() => {
    applyPreferences()
  }, [])
  return (
    <main id="content" className="page stack" data-testid={testId}>
      {children}
    </main>
  )
}
