/** The parts of the work that one of several collectors may do: take envelopes, deliver them, answer queries. */
export const ROLES = ['intake', 'relay', 'query'] as const
export type Role = (typeof ROLES)[number]

export const hasAllRoles = (roles: readonly Role[]): boolean => ROLES.every((role) => roles.includes(role))

/** For people: `intake and relay`. */
export const rolesText = (roles: readonly Role[]): string => roles.join(' and ')

const MISSING = 'this collector has no role '

/** Why a collector does not serve an address. @param roles those that it has */
export const missingRole = (role: Role, roles: readonly Role[]): string =>
  `${MISSING}${role}; WAYSTATION_ROLES=${roles.join(',')}`

/** Whether the detail of a refusal is one of `missingRole`. */
export const namesMissingRole = (detail: string): boolean => detail.startsWith(MISSING)
