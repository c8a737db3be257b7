'use client'

import { ErrorFallback } from './error-fallback'

interface ErrorPageProps {
  readonly error: Error & { readonly digest?: string }
  readonly retry: () => void
}

export default function ErrorPage({ error, retry }: ErrorPageProps) {
  return <ErrorFallback error={error} retry={retry} />
}
