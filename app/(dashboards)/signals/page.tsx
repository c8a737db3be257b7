import type { Metadata } from 'next'
import { SignalsBoard } from '../../../dashboards/signals/signals-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/signals') }

export default function Page() {
  return <SignalsBoard />
}
