import { REPLAY_EVENTS } from '#shared/environments/sweeps/replay-events.ts';
import { ERASE_BODY } from '#shared/exports/erasure/erase-body.ts';
import { BACKFILL_LOG } from '#shared/log/backfill.ts';
import { RECOVER_LOG } from '#shared/log/recover.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';

/**
 * Families that commands write: organizations, users, their identities and the end of their sessions, members, grants for
 * sign-in rules, keys, the audit log, the list of organizations that sweeps check, the state of the table, exports. The address of an archive has the
 * rights of this function.
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
      '@ACTIVE',
      '@STATE',
      'EXPORT',
      '@EXPORTING',
    ],
    checks: ['MEMBER'],
    removes: ['@IDENTITY', '@KEYS', '@SESSION', '@SESSIONS', '@GRANT', 'INVITED', '@OFFER'],
    bucket: ['exports:read'],
  },
  REPLAY_EVENTS,
  ERASE_BODY,
  BACKFILL_LOG,
  RECOVER_LOG,
]);
