import type { Metadata } from 'next'
import { ErrorGroupBoard } from '../../../../dashboards/errors/error-board'
import { titleOf } from '../../../../lib/wire/pages'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: titleOf('/errors/:id', (await params).id) }
}

export default async function Page({ params }: Props) {
  return <ErrorGroupBoard hash={(await params).id} />
}
