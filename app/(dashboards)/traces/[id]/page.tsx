import type { Metadata } from 'next'
import { TraceBoard } from '../../../../dashboards/traces/trace-board'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Trace ${(await params).id.slice(0, 8)}` }
}

export default async function Page({ params }: Props) {
  return <TraceBoard traceId={(await params).id} />
}
