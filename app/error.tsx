'use client'

import { ErrorFallback, type ErrorFallbackProps } from './error-fallback'

export default function ErrorPage({ error, retry }: ErrorFallbackProps) {
  return <ErrorFallback error={error} retry={retry} />
}
