import { type Uses, usesTogether } from '#shared/table/uses.ts';

/**
 * What erasures change: records with bodies, uses of contents, notes of objects to remove, the objects, and exports. Only commits
 * of trails, whose keys contain a digest, uses of contents and the list of running exports lose items.
 */
const ERASE_USES: Uses = {
  writes: [
    'ATTESTATION',
    'ARTIFACT',
    'TRAIL',
    'MOMENT',
    'FLOW',
    'EVALUATION',
    'STATEMENT',
    'DELIVERY',
    'AUDIT',
    'BODY',
    'ERASURE',
    'EXPORT',
  ],
  removes: ['TRAIL', 'BODY', 'ERASURE', '@EXPORTING'],
  bucket: ['bodies:read', 'bodies:write', 'bodies:erase', 'evidence:erase', 'exports:erase'],
};

/** Backfill and recovery append to logs. Recovery reads copies and bundles, and verifies signatures. */
const LOG_USES: Uses = { writes: ['LOG', 'LOGGED', 'AUDIT'], bucket: ['log:read'], keys: ['log:read'] };

/**
 * Families that commands write: organizations, users, their identities and the end of their sessions, members, grants for sign-in rules, keys, the audit log, places of relayed events,
 * the list of organizations that sweeps check, exports. Erasures write records with bodies. The address of an
 * archive has the rights of this function.
 */
export const OPERATOR_USES: Uses = usesTogether([
  {
    writes: [
      '@KEY',
      '@KEYS',
      '@ORG',
      '@ORGS',
      '@USER',
      '@IDENTITY',
      '@MEMBEROF',
      '@GRANT',
      'MEMBER',
      'AUDIT',
      'RELAYED',
      '@ACTIVE',
      'EXPORT',
      '@EXPORTING',
    ],
    checks: ['MEMBER'],
    removes: ['@IDENTITY', '@KEYS', '@SESSION', '@SESSIONS', '@GRANT', 'INVITED', '@OFFER'],
    bucket: ['exports:read'],
  },
  ERASE_USES,
  LOG_USES,
]);
