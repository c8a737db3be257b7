import type { Metadata } from 'next'
import { StandInBoard } from '../../../dashboards/stand-in/stand-in-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/stand-in') }

export default function Page() {
  return <StandInBoard />
}
