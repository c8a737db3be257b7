/** Rendered when no route is intercepted. */
export default function NoModal() {
  return null
}
