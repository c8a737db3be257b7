'use client'

import { useEffect } from 'react'
import { markNotFound } from '../lib/sdk/mark-not-found'
import { browserReady } from '../lib/sdk/start-browser'

/** Tells telemetry that this page is missing; shows nothing. */
export function NotFoundMark() {
  useEffect(() => {
    void browserReady().then(markNotFound)
  }, [])
  return null
}
