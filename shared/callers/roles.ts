import * as z from 'zod';

/**
 * The four roles, from the most to the least powerful. Privileges of service accounts have the same values
 * (rules/organizations.md#roles).
 */
export const ROLES = ['admin', 'member', 'snapshotter', 'reader'] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

/** Returns whether `role` includes `needed`. */
export const mayAs = (role: Role, needed: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(needed);

/**
 * Beta features, switched per organization. Moments of trails belong to `evaluations`
 * (rules/organizations.md#beta-features).
 */
export const BETA_FEATURES = ['controls', 'evaluations'] as const;
/** All features. `public_log` opens the log of the organization to everybody (rules/log.md#public-log). */
export const FEATURES = [...BETA_FEATURES, 'public_log'] as const;
export const Feature = z.enum(FEATURES);
export type Feature = z.infer<typeof Feature>;
