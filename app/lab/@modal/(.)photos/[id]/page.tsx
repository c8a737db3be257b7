import { LabDialog } from '../../../lab-dialog'

/** The photo's address, opened from inside the lab: a dialog over the previous page. */
export default async function InterceptedPhotoPage({ params }: { readonly params: Promise<{ readonly id: string }> }) {
  const { id } = await params
  return <LabDialog title={`Photo ${id}, intercepted`} route="/lab/(.)photos/[id]" />
}
