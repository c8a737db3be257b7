'use client'

import { type ReactNode, useEffect } from 'react'
import { applyPreferences } from '../dashboards/ui/preferences'
import { DIAGNOSTICS_PATH } from '../lib/sdk/paths'

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
      <p className="small">
        <a href={DIAGNOSTICS_PATH}>What was sent about me</a>
      </p>
    </main>
  )
}
