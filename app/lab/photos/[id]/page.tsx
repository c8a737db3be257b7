import type { Metadata } from 'next'
import { LabPlacePage } from '../../lab-place-page'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Photo ${(await params).id}` }
}

export default async function PhotoPage({ params }: Props) {
  const { id } = await params
  return <LabPlacePage title={`Photo ${id}, as a page`} route="/lab/photos/[id]" />
}
