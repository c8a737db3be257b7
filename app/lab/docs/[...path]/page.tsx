import { LabPlacePage } from '../../lab-place-page'

interface Props {
  readonly params: Promise<{ readonly path: readonly string[] }>
}

export default async function DocsPage({ params }: Props) {
  const { path } = await params
  return <LabPlacePage title={`Docs: ${path.join(' / ')}`} route="/lab/docs/[...path]" />
}
