import * as z from 'zod';
import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import { toSeconds } from '#shared/base/time.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { DESCRIBE_LOG, type DescribeServices, describeLog } from '#shared/log/read-log.ts';
import type { TrustedRoot } from '#shared/log/rules/description.ts';

/** The description of a log in answers (rules/log.md#description-of-a-log). */
const LogOut = z
  .object({
    origin: z.string().meta({ description: 'Name of the log, in the first line of its checkpoints. It never changes' }),
    size: z.number().meta({ description: 'Entries in the log' }),
    checkpoint_size: z.number().nullable().meta({
      description: 'Entries that the newest checkpoint covers; null if none was published',
    }),
    verifier_keys: z
      .array(
        z.object({
          key: z.string().meta({ description: 'The key as `<origin>+<id>+<base64>`' }),
          from_size: z.number().meta({ description: 'Size of the smallest log that the key signs' }),
          to_size: z.number().nullable().meta({ description: 'Size of the largest one; null for a key in use' }),
        }),
      )
      .meta({ description: 'Keys that sign the checkpoints of the log' }),
    statement_keys: z
      .array(z.object({ public_key: z.string().meta({ description: 'The key as PEM: ECDSA on the curve P-256' }) }))
      .meta({ description: 'Keys that sign statements' }),
    policy: z.string().meta({ description: 'A policy file for verifiers of checkpoints and proofs' }),
    trusted_root: z
      .custom<TrustedRoot>()
      .meta({ type: 'object', description: 'A trusted root for verifiers of sigstore bundles' }),
    backfilled_before: z
      .object({
        index: z.number().meta({ description: 'Index of the first entry that was appended as its record was written' }),
        at: z.number().meta({ description: 'When the backfill ended, in seconds since the epoch' }),
      })
      .nullable()
      .meta({ description: 'Set if entries below this index were appended later than their records were written' }),
  })
  .meta({ id: 'Log' });

/** GET /log/{org}: what verifiers of the log need (rules/log.md#description-of-a-log). */
export const getLog = endpoint({
  operation: 'getLog',
  method: 'GET',
  path: '/log/{org}',
  summary: 'Describe the log of an organization: its name, size and keys',
  description:
    'Every accepted write of the organization becomes an entry of its log, an append-only Merkle tree. A verifier must not take the key from what it verifies: get the key once, in a way that you trust, and keep it.',
  access: 'reader',
  openWith: 'public_log',
  success: { 200: LogOut },
  uses: DESCRIBE_LOG,
  handler: async ({ org, host }, services: DescribeServices) => {
    const log = await describeLog(services, org, absolute(host, `${BASE_PATH}/log/${org.name}`));
    const { backfilled } = log;
    return {
      status: 200,
      body: {
        origin: log.origin,
        size: log.size,
        checkpoint_size: log.checkpointSize,
        verifier_keys: [{ key: log.verifierKey, from_size: 0, to_size: null }],
        statement_keys: [{ public_key: log.statementKey }],
        policy: log.policy,
        trusted_root: log.trustedRoot,
        backfilled_before: backfilled && { index: backfilled.index, at: toSeconds(backfilled.at) },
      },
    };
  },
});
