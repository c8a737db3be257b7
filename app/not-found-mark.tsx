'use client'

import { useEffect } from 'react'
import { markNotFound } from '../lib/sdk/browser'

/** Marks this page as missing in its telemetry; renders nothing. */
export function NotFoundMark() {
  useEffect(() => {
    void markNotFound()
  }, [])
  return null
}
