import type { Metadata } from 'next'
import { EventBoard } from '../../../../dashboards/events/event-board'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Event ${(await params).id.slice(0, 8)}` }
}

export default async function Page({ params }: Props) {
  return <EventBoard eventId={(await params).id} />
}
