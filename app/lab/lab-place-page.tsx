import Link from 'next/link'

/** A page to navigate to; it shows the route that rendered it. */
export function LabPlacePage({ title, route }: { readonly title: string; readonly route: string }) {
  return (
    <section className="page stack" data-testid="lab-place">
      <h1>{title}</h1>
      <p className="soft">
        Rendered by <code>{route}</code>.
      </p>
      <p>
        <Link className="button" href="/lab" prefetch={false}>
          Back to the lab
        </Link>
      </p>
    </section>
  )
}
