/**
 * Names that no organization can have. The service answers below `/api` and `/ready`, and pages of organizations have
 * their name as first segment (rules/organizations.md#reserved-names).
 */
const RESERVED: ReadonlySet<string> = new Set(['api', 'ready']);

/** Returns whether no organization can have the name. */
export const isReserved = (name: string): boolean => RESERVED.has(name);
