import type { Metadata } from 'next'
import { LabPlacePage } from '../../lab-place-page'

interface Props {
  readonly params: Promise<{ readonly path: readonly string[] }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: titleOf((await params).path) }
}

export default async function DocsPage({ params }: Props) {
  const { path } = await params
  return <LabPlacePage title={titleOf(path)} route="/lab/docs/[...path]" />
}

const titleOf = (path: readonly string[]): string => `Docs: ${path.join(' / ')}`
