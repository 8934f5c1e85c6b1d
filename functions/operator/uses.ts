import type { Uses } from '#shared/table/uses.ts';

/**
 * Families that commands write: organizations, users, members, keys, the audit log, places of relayed events,
 * the list of organizations that sweeps check, exports. The address of an archive has the rights of this function.
 */
export const OPERATOR_USES: Uses = {
  writes: ['@KEY', '@KEYS', '@ORG', '@ORGS', '@USER', 'MEMBER', 'AUDIT', 'RELAYED', '@ACTIVE', 'EXPORT', '@EXPORTING'],
  bucket: ['exports:read'],
};
