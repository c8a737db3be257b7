/** Nothing is intercepted. */
export default function NoModal() {
  return null
}
