'use client'

import { useEffect } from 'react'
import { browserReady } from '../lib/sdk/browser'
import { markNotFound } from '../lib/sdk/outgoing-filter'

/** Marks this page as missing in its telemetry; renders nothing. */
export function NotFoundMark() {
  useEffect(() => {
    void browserReady().then(markNotFound)
  }, [])
  return null
}
