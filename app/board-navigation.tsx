'use client'

import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { useEffect } from 'react'
import { handleNavigation, notifyMoved } from '../dashboards/ui/navigation'
import { isBoard } from '../lib/sdk/paths'

/**
 * Links between boards change the page by Next's router. Those from and to pages that send spans load the document: the SDK
 * starts with the settings of the page that is opened.
 */
export function BoardNavigation() {
  const router = useRouter()
  const address = `${usePathname()}?${useSearchParams()}`
  useEffect(
    () =>
      handleNavigation((url) => {
        if (isBoard(url.pathname) && isBoard(window.location.pathname)) router.push(url.href)
        else window.location.assign(url)
      }),
    [router],
  )
  useEffect(() => {
    if (address !== '') notifyMoved()
  }, [address])
  return null
}
