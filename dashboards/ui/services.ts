/** Which of the six bar colours a service has: the same on every page. Browser and server are told apart at a glance. */
export function seriesOf(service: string): 1 | 2 | 3 | 4 | 5 | 6 {
  if (service === 'browser') return 1
  if (service === 'server') return 2
  const others = [3, 4, 5, 6] as const
  let sum = 0
  for (const character of service) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return others[sum % others.length] ?? 3
}
