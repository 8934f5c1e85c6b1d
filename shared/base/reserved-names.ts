/**
 * Names that no organization can have. The service answers below `/api` and `/ready`, and pages of organizations have
 * their name as first segment (rules/organizations.md#reserved-names).
 */
export const RESERVED_ORGANIZATIONS = ['api', 'ready'] as const;
