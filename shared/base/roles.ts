import * as z from 'zod';

/** The four roles, most able first; the same values are the privileges of service accounts (semantics §12.2). */
export const ROLES = ['admin', 'member', 'snapshotter', 'reader'] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

/** Whether a holder of `role` may do what asks for at least `needed`. */
export const mayAs = (role: Role, needed: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(needed);

/** Beta features, switched per organization (semantics §12.6). Trail moments belong to `evaluations`. */
export const FEATURES = ['controls', 'evaluations'] as const;
export const Feature = z.enum(FEATURES);
export type Feature = z.infer<typeof Feature>;
