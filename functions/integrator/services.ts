import { deployedKeys } from '#functions/deployed-keys.ts';
import { deployedQueues } from '#functions/deployed-queues.ts';
import { deployedObjects, deployedTable, once } from '#functions/services.ts';
import { loadIntegratorEnvironment } from '#shared/base/env.ts';
import { systemClock } from '#shared/base/time.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { CHECKPOINT_EVERY } from '#shared/log/rules/checkpoint-pace.ts';
import { parseWitnessPolicy } from '#shared/log/rules/witness-settings.ts';
import { SignatureTurns } from '#shared/log/signature-turns.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import type { IntegratorServices } from './integrate-messages.ts';

export const lambdaIntegratorServices = (): (() => IntegratorServices) =>
  once(() => {
    const settings = loadIntegratorEnvironment();
    const { WITNESS_POLICY, WITNESS_SECONDS, ALLOWED_NETWORKS } = settings;
    return {
      table: deployedTable(settings.TABLE_NAME),
      objects: deployedObjects(settings.BUCKET_NAME),
      clock: systemClock(),
      logSigner: deployedKeys(settings).log,
      origin: (org) => `${org}.${settings.LOG_DOMAIN}`,
      guarded: new GuardedLogs(),
      checkpointEvery: CHECKPOINT_EVERY,
      turns: new SignatureTurns(settings.SIGNATURES_PER_SECOND),
      logEntries: deployedQueues()(settings.LOG_ENTRIES_URL),
      ...(WITNESS_POLICY !== undefined && {
        witnesses: {
          policy: parseWitnessPolicy(WITNESS_POLICY),
          every: WITNESS_SECONDS * 1_000_000,
          guard: addressGuard(ALLOWED_NETWORKS),
        },
      }),
    };
  });
