import type { Metadata } from 'next'
import { StandInBoard } from '../../../dashboards/stand-in/stand-in-board'

export const metadata: Metadata = { title: 'Stand-in' }

export default function Page() {
  return <StandInBoard />
}
