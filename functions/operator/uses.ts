import type { Uses } from '#shared/table/uses.ts';

/** What operators write: organizations, users, members, keys, the audit log of it, and how far events were relayed. */
export const OPERATOR_USES: Uses = {
  writes: ['@KEY', '@KEYS', '@ORG', '@ORGS', '@USER', 'MEMBER', 'AUDIT', 'RELAYED'],
};
