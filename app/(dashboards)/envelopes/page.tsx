import type { Metadata } from 'next'
import { EnvelopesBoard } from '../../../dashboards/envelopes/envelopes-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/envelopes') }

export default function Page() {
  return <EnvelopesBoard />
}
