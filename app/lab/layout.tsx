import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { TraceOfThisPage } from './trace-of-this-page'

export const metadata: Metadata = { title: 'Lab' }

interface Props {
  readonly children: ReactNode
  readonly modal: ReactNode
}

export default function LabLayout({ children, modal }: Props) {
  return (
    <>
      <TraceOfThisPage />
      {modal}
      {children}
    </>
  )
}
