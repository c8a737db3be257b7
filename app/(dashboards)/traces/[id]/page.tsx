import type { Metadata } from 'next'
import { TraceBoard } from '../../../../dashboards/traces/trace-board'
import { titleOf } from '../../../../lib/wire/pages'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: titleOf('/traces/:id', (await params).id) }
}

export default async function Page({ params }: Props) {
  return <TraceBoard traceId={(await params).id} />
}
