'use client'

import { useEffect } from 'react'
import { browserReady } from '../lib/sdk/browser'
import { markNotFound } from '../lib/sdk/outgoing-filter'

/** Tells telemetry that this page is missing; shows nothing. */
export function NotFoundMark() {
  useEffect(() => {
    void browserReady().then(markNotFound)
  }, [])
  return null
}
